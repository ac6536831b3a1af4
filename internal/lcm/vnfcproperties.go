package lcm

import (
	"fmt"
	"slices"
)

// VnfcInfoModifications changes the configurable properties of a VNFC, or tells of that. It is of SOL002 v3.3.1, whose
// VnfInfoModificationRequest (clause 5.5.2.12) has a list of them beside what SOL003 has.
type VnfcInfoModifications struct {
	ID string `json:"id"`
	// ConfigurableProperties are a JSON merge patch.
	ConfigurableProperties map[string]any `json:"vnfcConfigurableProperties"`
}

// vnfc finds a VNFC by the id that VnfcInfoID makes, -1 when there is none.
func (i VnfInstance) vnfc(id string) int {
	if i.Instantiated == nil {
		return -1
	}
	return slices.IndexFunc(i.Instantiated.VnfcResources, func(v VnfcResourceInfo) bool { return i.VnfcInfoID(v) == id })
}

// Vnfc is the VNFC of that id, as SOL002 has it.
func (i VnfInstance) Vnfc(id string) (v VnfcResourceInfo, found bool) {
	if at := i.vnfc(id); at >= 0 {
		return i.Instantiated.VnfcResources[at], true
	}
	return v, false
}

// applyVnfcs lays the patches over the properties of the VNFCs. Their ids are those before the modification, which may
// name VNFCs anew.
func (r ModifyRequest) applyVnfcs(after *VnfInstance, before VnfInstance, done *VnfInfoModifications) error {
	if len(r.Vnfcs) == 0 {
		return nil
	}
	if before.Instantiated == nil {
		return Errorf(KindConflict, "The VNF instance %s is not instantiated: it has no VNFC whose properties could be "+
			"modified.", before.ID)
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
		Kind: KindInvalid, Unprocessable: true, Detail: "The request names what is not there",
		Problems: problems,
	}
}

// KeptProperties are the configurable properties of a VNFC after an operation on the instance: what it had, or what a
// VNFC of its name had whose successor it is.
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

// ShownVnfcResources are the VNFCs' resources as the API shows them: their configurable properties are in vnfcInfo.
func (i *InstantiatedVnfInfo) ShownVnfcResources() []VnfcResourceInfo {
	out := slices.Clone(i.VnfcResources)
	for at := range out {
		out[at].ConfigurableProperties = nil
	}
	return out
}
