package lcm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// ModifyRequest is VnfInfoModificationRequest (SOL003 clause 5.5.2.12), independent of the API's version. It is a JSON
// merge patch (RFC 7396): a missing member stays as it is, and null removes a member.
type ModifyRequest struct {
	Name                   PatchText            `json:"vnfInstanceName,omitzero"`
	Description            PatchText            `json:"vnfInstanceDescription,omitzero"`
	VnfdID                 VnfdID               `json:"vnfdId,omitempty"`
	VnfPkgID               VnfPkgID             `json:"vnfPkgId,omitempty"`
	ConfigurableProperties PatchMap             `json:"vnfConfigurableProperties,omitzero"`
	Metadata               PatchMap             `json:"metadata,omitzero"`
	Extensions             PatchMap             `json:"extensions,omitzero"`
	VimConnections         []VimConnectionPatch `json:"vimConnectionInfo,omitempty"`
	// Vnfcs are in v2 only.
	Vnfcs []VnfcInfoModifications `json:"vnfcInfoModifications,omitempty"`
}

// PatchText is a string of a merge patch. A removed string is empty.
type PatchText struct {
	Given bool   `json:"given"`
	Value string `json:"value"`
}

// PatchMap is a set of key-value pairs of a merge patch.
type PatchMap struct {
	Given bool `json:"given"`
	// Members is nil when the patch removes all pairs.
	Members map[string]any `json:"members"`
}

// over merges the patch into the target.
func (m PatchMap) over(target map[string]any) map[string]any {
	switch {
	case !m.Given:
		return target
	case m.Members == nil:
		return nil
	default:
		return Merged(target, m.Members)
	}
}

// shown is what the patch has changed, without secrets: nil for nothing, and an empty object where all was removed.
func (m PatchMap) shown() map[string]any {
	switch {
	case m.Given && m.Members == nil:
		return map[string]any{}
	case len(m.Members) == 0:
		return nil
	default:
		return masked(m.Members)
	}
}

// Merged returns target with a JSON merge patch (RFC 7396) applied. It changes neither argument.
func Merged(target, patch map[string]any) map[string]any {
	if target == nil && patch == nil {
		return nil
	}
	out := maps.Clone(target)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range patch {
		sub, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, key)
		case isMap && !isSealed(sub):
			below, _ := out[key].(map[string]any)
			if isSealed(below) { // a secret stands for a text, which has no members
				below = nil
			}
			out[key] = Merged(below, sub)
		default:
			out[key] = value
		}
	}
	return out
}

// isSealed reports whether an object stands for a sealed secret.
func isSealed(m map[string]any) bool {
	_, ok := m[SecretKey]
	return ok && len(m) == 1
}

// VimConnectionPatch is the part of a merge patch for one VIM connection: it changes the connection of that id, or adds
// it.
type VimConnectionPatch struct {
	ID    string          `json:"id"`
	Patch json.RawMessage `json:"patch"` // null removes the connection
}

// Removes reports whether the patch removes the connection.
func (p VimConnectionPatch) Removes() bool {
	return bytes.Equal(bytes.TrimSpace(p.Patch), []byte("null"))
}

// Apply makes the modifications on the instance. pkg is the package that the request names, nil when it names none.
// Errors: Conflict when the state of the VNF forbids the modification, Invalid when a connection would have no type.
func (r ModifyRequest) Apply(
	inst VnfInstance, pkg *NextPackage,
) (after VnfInstance, done VnfInfoModifications, err error) {
	after = inst
	if r.Name.Given {
		after.Name, done.VnfInstanceName = r.Name.Value, &r.Name.Value
	}
	if r.Description.Given {
		after.Description, done.VnfInstanceDescription = r.Description.Value, &r.Description.Value
	}
	after.Metadata, done.Metadata = r.Metadata.over(inst.Metadata), r.Metadata.shown()
	after.Extensions, done.Extensions = r.Extensions.over(inst.Extensions), r.Extensions.shown()
	after.ConfigurableProperties = r.ConfigurableProperties.over(inst.ConfigurableProperties)
	done.ConfigurableProperties = r.ConfigurableProperties.shown()
	if err := r.applyPackage(&after, pkg, &done); err != nil {
		return inst, done, err
	}
	if err := r.applyConnections(&after, &done); err != nil {
		return inst, done, err
	}
	if err := r.applyVnfcs(&after, inst, &done); err != nil {
		return inst, done, err
	}
	return after, done, nil
}

// applyConnections merges connections by id. It keeps the connections of the VNF's resources and of its cluster.
func (r ModifyRequest) applyConnections(inst *VnfInstance, done *VnfInfoModifications) error {
	list := slices.Clone(inst.VimConnections)
	for _, p := range r.VimConnections {
		at := slices.IndexFunc(list, func(c VimConnectionInfo) bool { return c.ID == p.ID })
		if at >= 0 && inst.Instantiated != nil && inst.Instantiated.ClusterVimID != "" &&
			list[at].VimID == inst.Instantiated.ClusterVimID {
			return Errorf(KindConflict, "The VIM connection %s belongs to the VNF's own cluster: only Windlass "+
				"changes it.", p.ID)
		}
		if p.Removes() {
			if at >= 0 && inst.Uses(p.ID) {
				return Errorf(KindConflict, "The VNF's resources are on the VIM connection %s: it cannot be removed while the VNF "+
					"is instantiated.", p.ID)
			}
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
				done.DeletedVimConnections = append(done.DeletedVimConnections, p.ID)
			}
			continue
		}
		var old VimConnectionInfo
		if at >= 0 {
			old = list[at]
		}
		changed, err := p.over(old)
		if err != nil {
			return err
		}
		if at >= 0 {
			list[at] = changed
		} else {
			list = append(list, changed)
		}
		done.VimConnections = append(done.VimConnections, changed.masked())
	}
	slices.SortFunc(list, func(a, b VimConnectionInfo) int { return strings.Compare(a.ID, b.ID) })
	inst.VimConnections = list
	return nil
}

// Uses reports whether resources of the VNF are on that connection.
func (i VnfInstance) Uses(connection string) bool {
	return i.Instantiated != nil && slices.ContainsFunc(i.Instantiated.VnfcResources, func(v VnfcResourceInfo) bool {
		return v.ComputeResource.VimConnectionID == connection
	})
}

// over merges the patch into the connection.
func (p VimConnectionPatch) over(old VimConnectionInfo) (out VimConnectionInfo, err error) {
	var target, patch map[string]any
	doc, err := json.Marshal(old)
	if err == nil {
		err = json.Unmarshal(doc, &target)
	}
	if err == nil {
		err = json.Unmarshal(p.Patch, &patch)
	}
	if err == nil {
		doc, err = json.Marshal(Merged(target, patch))
	}
	if err == nil {
		err = json.Unmarshal(doc, &out)
	}
	if err != nil {
		return out, Wrap(KindInvalid, err, "The VIM connection %s is malformed.", p.ID)
	}
	out.ID = p.ID
	if out.VimType == "" { // Tacker's clients of v1 leave it out
		out.VimType = out.Kind()
	}
	return out, nil
}

func (c VimConnectionInfo) masked() VimConnectionInfo {
	c.InterfaceInfo, c.AccessInfo, c.Extra = masked(c.InterfaceInfo), masked(c.AccessInfo), masked(c.Extra)
	return c
}

// masked returns m with asterisks in place of sealed secrets.
func masked(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for key, value := range m {
		out[key] = maskedValue(value)
	}
	return out
}

func maskedValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if isSealed(value) {
			return "***"
		}
		return masked(value)
	case []any:
		out := make([]any, 0, len(value))
		for _, item := range value {
			out = append(out, maskedValue(item))
		}
		return out
	default:
		return value
	}
}
