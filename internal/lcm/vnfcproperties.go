package lcm

import (
	"fmt"
	"slices"
)

// VnfcInfoModifications is a change of the configurable properties of a VNFC, in a request or in a report. It comes
// from SOL002 v3.3.1, whose VnfInfoModificationRequest (clause 5.5.2.12) adds a list of them to the members of SOL003.
type VnfcInfoModifications struct {
	ID string `json:"id"`
	// ConfigurableProperties is a JSON merge patch.
	ConfigurableProperties map[string]any `json:"vnfcConfigurableProperties"`
}

// vnfc returns the index of the VNFC with the id that VnfcInfoID makes, -1 for none.
func (i VnfInstance) vnfc(id string) int {
	if i.Instantiated == nil {
		return -1
	}
	return slices.IndexFunc(i.Instantiated.VnfcResources, func(v VnfcResourceInfo) bool { return i.VnfcInfoID(v) == id })
}

// Vnfc returns the VNFC with that id of SOL002.
func (i VnfInstance) Vnfc(id string) (v VnfcResourceInfo, found bool) {
	if at := i.vnfc(id); at >= 0 {
		return i.Instantiated.VnfcResources[at], true
	}
	return v, false
}

// applyVnfcs merges the patches into the properties of the VNFCs. The ids are those from before the modification, as a
// modification may rename VNFCs.
func (r ModifyRequest) applyVnfcs(after *VnfInstance, before VnfInstance, done *VnfInfoModifications) error {
	if len(r.Vnfcs) == 0 {
		return nil
	}
	if before.Instantiated == nil {
		return Errorf(KindConflict, "The VNF instance %s is not instantiated: it has no VNFC to modify.", before.ID)
	}
	if err := r.unknownVnfcs(before); err != nil {
		return err
	}
	info := *after.Instantiated
	info.VnfcResources = slices.Clone(info.VnfcResources)
	for _, m := range r.Vnfcs {
		v := &info.VnfcResources[before.vnfc(m.ID)]
		v.ConfigurableProperties = Merged(v.ConfigurableProperties, m.ConfigurableProperties)
		done.Vnfcs = append(done.Vnfcs, VnfcInfoModifications{after.VnfcInfoID(*v), masked(m.ConfigurableProperties)})
	}
	after.Instantiated = &info
	return nil
}

func (r ModifyRequest) unknownVnfcs(inst VnfInstance) error {
	var problems []Problem
	for i, m := range r.Vnfcs {
		if inst.vnfc(m.ID) < 0 {
			problems = append(problems, Problem{
				Path:   fmt.Sprintf("$.vnfcInfoModifications[%d].id", i),
				Detail: fmt.Sprintf("the VNF has no VNFC %q in its vnfcInfo", m.ID),
			})
		}
	}
	if problems == nil {
		return nil
	}
	return &Error{
		Kind: KindInvalid, Unprocessable: true, Detail: "The request names VNFCs that do not exist", Problems: problems,
	}
}

// KeptProperties returns the configurable properties of a VNFC after an operation on the instance. They are the VNFC's
// own, or those of the VNFC of the same name that it replaced.
func (i VnfInstance) KeptProperties(v VnfcResourceInfo) map[string]any {
	if i.Instantiated == nil {
		return nil
	}
	if had, ok := vnfcIn(i.Instantiated.VnfcResources, v.ID); ok {
		return had.ConfigurableProperties
	}
	had, _ := i.Vnfc(i.VnfcInfoID(v))
	return had.ConfigurableProperties
}

// ShownVnfcResources returns the VNFCs' resources in the form of the API, which has their configurable properties in
// vnfcInfo.
func (i *InstantiatedVnfInfo) ShownVnfcResources() []VnfcResourceInfo {
	out := slices.Clone(i.VnfcResources)
	for at := range out {
		out[at].ConfigurableProperties = nil
	}
	return out
}
