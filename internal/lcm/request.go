package lcm

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Request is the request of an operation as a value, independent of the API's version.
type Request interface {
	// Operation is the operation that begins with the request.
	Operation() Operation
}

// ReadRequest reads the request of an operation in the form of either version of the API: as a client has sent it, or as
// the database has it. A malformed request is Invalid.
func ReadRequest(op Operation, body json.RawMessage) (Request, error) {
	read := op.Type().read
	if read == nil {
		return nil, Errorf(KindBug, "The operation %s has no request.", op)
	}
	if len(body) == 0 {
		body = json.RawMessage(`{}`)
	}
	request, err := read(body)
	if err != nil {
		return request, Wrap(KindInvalid, err, "The request of the operation %s is malformed.", op)
	}
	return request, nil
}

// RequestAs is the request as the type of its operation. Another type is a Bug.
func RequestAs[R Request](r Request) (own R, err error) {
	own, ok := r.(R)
	if !ok {
		return own, Errorf(KindBug, "A %T is needed, but the request is a %T.", own, r)
	}
	return own, nil
}

// Request is the request with which the operation began.
func (o VnfLcmOpOcc) Request() (Request, error) { return ReadRequest(o.Operation, o.Params) }

func requestOf[R Request](body json.RawMessage) (Request, error) {
	var out R
	err := json.Unmarshal(body, &out)
	return out, err
}

// InstantiateRequest is SOL003 clause 5.5.2.4, independent of the API's version.
type InstantiateRequest struct {
	FlavourID            string
	InstantiationLevelID string
	LocalizationLanguage string
	ExtVirtualLinks      []ExtVirtualLink
	// ExtManagedVirtualLinks are networks that replace internal ones.
	ExtManagedVirtualLinks []ExtManagedVirtualLink
	VimConnections         []VimConnectionInfo
	AdditionalParams       json.RawMessage
	// TargetScaleLevels is set when the request has targetScaleLevelInfo, a member of later versions of SOL003.
	TargetScaleLevels bool
	// Extensions and ConfigurableProperties are merged into those of the instance.
	Extensions, ConfigurableProperties map[string]any
}

// ExtVirtualLink is SOL003 clause 4.4.1.11 ExtVirtualLinkData.
type ExtVirtualLink struct {
	ID         string
	ResourceID string
	ExtCps     []ExtCp
}

// TerminateRequest is SOL003 clause 5.5.2.8.
type TerminateRequest struct {
	TerminationType            string          `json:"terminationType"`
	GracefulTerminationTimeout *int            `json:"gracefulTerminationTimeout"`
	AdditionalParams           json.RawMessage `json:"additionalParams"`
}

// KeepsClaims reports whether the volume claims of the VNF's containers stay when the VNF is terminated.
func (r TerminateRequest) KeepsClaims() bool {
	var p struct {
		Claims string `json:"claims"`
	}
	return json.Unmarshal(r.AdditionalParams, &p) == nil && p.Claims == "keep" // the API refused other values
}

// Patience is how long to wait for objects that do not go, such as an object with a finalizer, after Pods have had
// their time. 0 means the default.
func (r TerminateRequest) Patience() time.Duration {
	var p struct {
		Patience int `json:"patience"`
	}
	_ = json.Unmarshal(r.AdditionalParams, &p) // the API refused mistakes
	return time.Duration(p.Patience) * time.Second
}

// TerminatesVnfs reports whether the VNFs that run on this VNF, a cluster, are terminated first.
func (r TerminateRequest) TerminatesVnfs() bool {
	var p struct {
		TerminateVnfs bool `json:"terminate_vnfs"`
	}
	return json.Unmarshal(r.AdditionalParams, &p) == nil && p.TerminateVnfs // the API refused other values
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

// keyed reads a list of v2.6.1, or a map keyed by id of v3.3.1. The values of a map come in the order of their keys.
type keyed[T any] struct {
	items []T
	keys  []string // "" for the items of a list
}

func (k *keyed[T]) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &k.items); err == nil {
		k.keys = make([]string, len(k.items))
		return nil
	}
	var m map[string]T
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		k.items, k.keys = append(k.items, m[key]), append(k.keys, key)
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler for the forms of both versions of the API.
func (r *InstantiateRequest) UnmarshalJSON(body []byte) error {
	var raw struct {
		FlavourID            string                   `json:"flavourId"`
		InstantiationLevelID string                   `json:"instantiationLevelId"`
		LocalizationLanguage string                   `json:"localizationLanguage"`
		VimConnectionInfo    keyed[VimConnectionInfo] `json:"vimConnectionInfo"`
		ExtVirtualLinks      []rawExtVirtualLink      `json:"extVirtualLinks"`
		ManagedLinks         []ExtManagedVirtualLink  `json:"extManagedVirtualLinks"`
		TargetScaleLevels    []json.RawMessage        `json:"targetScaleLevelInfo"`
		AdditionalParams     json.RawMessage          `json:"additionalParams"`
		Extensions           map[string]any           `json:"extensions"`
		Properties           map[string]any           `json:"vnfConfigurableProperties"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return err
	}
	out := InstantiateRequest{
		FlavourID: raw.FlavourID, InstantiationLevelID: raw.InstantiationLevelID,
		LocalizationLanguage: raw.LocalizationLanguage, AdditionalParams: raw.AdditionalParams,
		VimConnections: raw.VimConnectionInfo.items, Extensions: raw.Extensions, ConfigurableProperties: raw.Properties,
	}
	for i, key := range raw.VimConnectionInfo.keys {
		if key != "" {
			out.VimConnections[i].ID = key
		}
	}
	out.ExtVirtualLinks = WithNfvPorts(linksOf(raw.ExtVirtualLinks), raw.AdditionalParams,
		ParseUserData(raw.AdditionalParams).SeparateResources())
	out.ExtManagedVirtualLinks = raw.ManagedLinks
	out.TargetScaleLevels = len(raw.TargetScaleLevels) > 0
	*r = out
	return nil
}

// ParseExtVirtualLinks reads a list of ExtVirtualLinkData of either version of the API.
func ParseExtVirtualLinks(list json.RawMessage) ([]ExtVirtualLink, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var raw []rawExtVirtualLink
	if err := json.Unmarshal(list, &raw); err != nil {
		return nil, Wrap(KindInvalid, err, "extVirtualLinks is malformed.")
	}
	return linksOf(raw), nil
}

func linksOf(raw []rawExtVirtualLink) (out []ExtVirtualLink) {
	for _, l := range raw {
		out = append(out, l.link())
	}
	return out
}
