package lcm

import "encoding/json"

// ChangeVnfPkgRequest is ChangeCurrentVnfPkgRequest (SOL003 v3.3.1 clause 5.5.2.11a). Parameters and attributes are
// merge patches: what is not named stays as it is.
type ChangeVnfPkgRequest struct {
	VnfdID                 VnfdID          `json:"vnfdId"`
	AdditionalParams       json.RawMessage `json:"additionalParams,omitempty"`
	Extensions             PatchMap        `json:"extensions,omitzero"`
	ConfigurableProperties PatchMap        `json:"vnfConfigurableProperties,omitzero"`
	Waits
}

// Apply gives the instance the package, and the attributes of the request.
func (r ChangeVnfPkgRequest) Apply(
	inst VnfInstance, pkg VnfPkg,
) (after VnfInstance, done VnfInfoModifications, err error) {
	return ModifyRequest{
		VnfdID: r.VnfdID, Extensions: r.Extensions, ConfigurableProperties: r.ConfigurableProperties,
	}.Apply(inst, &NextPackage{VnfPkg: pkg, Succeeds: true})
}
