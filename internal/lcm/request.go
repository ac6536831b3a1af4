package lcm

import (
	"encoding/json"
	"slices"
	"time"
)

// Request is the request of an operation as a value, independent of the API's version. Package requests reads it from
// what clients send and from what the database has.
type Request interface {
	// Operation is the operation that begins with the request.
	Operation() Operation
}

// Redefining is a request after which the VNF has other VDUs, or other values for them, of the same package.
type Redefining interface {
	Request
	// Redefined is the request that would instantiate the VNF as it will be. had is the one for the VNF as it is; its
	// AdditionalParams stay.
	Redefined(had InstantiateRequest) InstantiateRequest
	// ParamsPatch is a merge patch for the parameters of the VNF.
	ParamsPatch() json.RawMessage
}

// PatchingVims is a request that changes VIM connections of the instance.
type PatchingVims interface {
	Request
	VimPatches() []VimConnectionPatch
}

// PatchVims patches the VIM connections of the instance, as a modification does.
func PatchVims(
	inst VnfInstance, patches []VimConnectionPatch,
) (after VnfInstance, done VnfInfoModifications, err error) {
	return ModifyRequest{VimConnections: patches}.Apply(inst, nil)
}

// ChangesVim reports whether patches change the VIM connection of the VNF's resources.
func ChangesVim(inst VnfInstance, patches []VimConnectionPatch) bool {
	return slices.ContainsFunc(patches, func(p VimConnectionPatch) bool { return !p.Removes() && inst.Uses(p.ID) })
}

// RequestAs is the request as the type of its operation. Another type is a Bug.
func RequestAs[R Request](r Request) (own R, err error) {
	own, ok := r.(R)
	if !ok {
		return own, Errorf(KindBug, "A %T is needed, but the request is a %T.", own, r)
	}
	return own, nil
}

// InstantiateRequest is SOL003 clause 5.5.2.4.
type InstantiateRequest struct {
	FlavourID            string `json:"flavourId"`
	InstantiationLevelID string `json:"instantiationLevelId,omitempty"`
	LocalizationLanguage string `json:"localizationLanguage,omitempty"`
	// ExtVirtualLinks are stored in a form of their own: see package requests.
	ExtVirtualLinks []ExtVirtualLink `json:"-"`
	// ExtManagedVirtualLinks are networks that replace internal ones.
	ExtManagedVirtualLinks []ExtManagedVirtualLink `json:"extManagedVirtualLinks,omitempty"`
	VimConnections         []VimConnectionInfo     `json:"vimConnectionInfo,omitempty"`
	AdditionalParams       json.RawMessage         `json:"additionalParams,omitempty"`
	// Extensions and ConfigurableProperties are merged into those of the instance.
	Extensions             map[string]any `json:"extensions,omitempty"`
	ConfigurableProperties map[string]any `json:"vnfConfigurableProperties,omitempty"`
}

// ExtVirtualLink is SOL003 clause 4.4.1.11 ExtVirtualLinkData.
type ExtVirtualLink struct {
	ID         string
	ResourceID string
	ExtCps     []ExtCp
}

// Waits are the times of a request that it limits for VNFs of containers, in seconds. 0 means that of the VNF.
type Waits struct {
	// Patience limits how long containers may be in trouble that can end by itself.
	Patience int `json:"patience,omitempty"`
	// ReadyTimeout limits how long an operation waits until the objects of containers are ready.
	ReadyTimeout int `json:"readyTimeout,omitempty"`
}

// Waiting are the times of the request.
func (w Waits) Waiting() Waits { return w }

// WaitsOf are the times of a request, zero for a request without any.
func WaitsOf(r Request) Waits {
	if of, ok := r.(interface{ Waiting() Waits }); ok {
		return of.Waiting()
	}
	return Waits{}
}

// TerminateRequest is SOL003 clause 5.5.2.8.
type TerminateRequest struct {
	TerminationType            string `json:"terminationType"`
	GracefulTerminationTimeout *int   `json:"gracefulTerminationTimeout,omitempty"`
	// KeepsClaims is set if the volume claims of the VNF's containers stay when the VNF is terminated.
	KeepsClaims bool `json:"keepsClaims,omitempty"`
	// TerminatesVnfs is set if the VNFs that run on this VNF, a cluster, are terminated first.
	TerminatesVnfs bool `json:"terminatesVnfs,omitempty"`
	// Waits has how long to wait for objects that do not go, such as an object with a finalizer, after Pods have had
	// their time.
	Waits
}

// Graceful reports whether the VNF is taken out of service before its resources are deleted.
func (r TerminateRequest) Graceful() bool { return r.TerminationType == string(Graceful) }

// longestGracePeriod is the longest grace period that Windlass accepts; an activity must end within three hours.
const longestGracePeriod = 2 * time.Hour

// GracePeriod is how long a graceful termination waits for the servers to shut down. Without a limit in the request, it
// waits as long as that takes (SOL003 clause 5.5.2.8).
func (r TerminateRequest) GracePeriod() time.Duration {
	if r.GracefulTerminationTimeout == nil {
		return longestGracePeriod
	}
	seconds := min(max(*r.GracefulTerminationTimeout, 0), int(longestGracePeriod/time.Second))
	return time.Duration(seconds) * time.Second
}
