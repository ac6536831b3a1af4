package requests

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// modifyV1 is SOL003 v2.6.1 clause 5.5.2.12. Entries of vimConnectionInfo are laid over existing entries with the same
// id.
type modifyV1 struct {
	modification
	VimConnectionInfo          []connectionV1 `json:"vimConnectionInfo"`
	VimConnectionInfoDeleteIDs []string       `json:"vimConnectionInfoDeleteIds"`
}

// modifyV2 is SOL003 v3.3.1 clause 5.5.2.12. null removes an entry.
type modifyV2 struct {
	modification
	VimConnectionInfo     map[string]*patchedConnection `json:"vimConnectionInfo"`
	VnfcInfoModifications []vnfcModification            `json:"vnfcInfoModifications"`
}

// vnfcModification comes from SOL002 v3.3.1; Tacker's API takes it, too. See lcm.VnfcInfoModifications.
type vnfcModification struct {
	ID                         string         `json:"id" param:"required"`
	VnfcConfigurableProperties map[string]any `json:"vnfcConfigurableProperties" param:"required"`
}

// modification has both ids of a package: SOL003 v3.3.1 has vnfdId in the text of its clause, and vnfPkgId in its OpenAPI
// file.
type modification struct {
	params.Noted
	VnfInstanceName           string         `json:"vnfInstanceName"`
	VnfInstanceDescription    string         `json:"vnfInstanceDescription"`
	VnfPkgID                  string         `json:"vnfPkgId"`
	VnfdID                    string         `json:"vnfdId"`
	VnfConfigurableProperties map[string]any `json:"vnfConfigurableProperties"`
	Metadata                  map[string]any `json:"metadata"`
	Extensions                map[string]any `json:"extensions"`
}

// fixed are the attributes of VnfInstance that no modification changes.
var fixed = []string{
	"id", "vnfProvider", "vnfProductName", "vnfSoftwareVersion", "vnfdVersion", "instantiationState",
	"instantiatedVnfInfo", "_links", "vnfcInfoModificationsDeleteIds",
}

// Members of one version of the API only.
const (
	deleteIDs         = "vimConnectionInfoDeleteIds"
	vnfcModifications = "vnfcInfoModifications"
)

// modifiable are the attributes that a modification may change, in either version of the API.
var modifiable = []string{
	"vnfInstanceName", "vnfInstanceDescription", "vnfPkgId", "vnfdId", "vnfConfigurableProperties", "metadata",
	"extensions", "vimConnectionInfo", deleteIDs, vnfcModifications,
}

func (r *modifyV1) problems() []lcm.Problem { return r.wrong(vnfcModifications) }

func (r *modifyV2) problems() []lcm.Problem {
	return append(r.wrong(deleteIDs), repeatedVnfcs(r.VnfcInfoModifications)...)
}

// wrong are the attributes that must not be in the patch, those that must not be null in it, and unknown members, even if
// other members have a meaning: the client would believe that they took effect. other is a member of the other version.
func (r *modification) wrong(other string) (problems []lcm.Problem) {
	unchangeable := append(slices.Clone(fixed), other)
	for _, key := range r.Names() {
		if slices.Contains(unchangeable, key) {
			problems = append(problems, lcm.Problem{Path: lcm.MemberPath("$", key), Detail: "cannot be modified"})
		}
	}
	given := slices.DeleteFunc([]string{"vimConnectionInfo", "vnfPkgId", "vnfdId", vnfcModifications},
		func(key string) bool { return slices.Contains(unchangeable, key) })
	problems = append(problems, notNull(r.Noted, given...)...)
	members := map[string]any{}
	for _, key := range r.Names() {
		members[key] = nil
	}
	unknown := lcm.Unknown("$", members, slices.Concat(modifiable, fixed))
	for i := range unknown {
		if unknown[i].Detail == "is unknown" {
			unknown[i].Detail += ": you can modify " + strings.Join(modifiable, ", ")
		}
	}
	return append(problems, unknown...)
}

// repeatedVnfcs are the VNFCs that a patch names twice: it is unclear which entry is meant.
func repeatedVnfcs(list []vnfcModification) (problems []lcm.Problem) {
	for i, m := range list {
		same := func(other vnfcModification) bool { return other.ID == m.ID }
		if first := slices.IndexFunc(list, same); first < i && m.ID != "" {
			problems = append(problems, lcm.Problem{
				Path: fmt.Sprintf("$.vnfcInfoModifications[%d].id", i), Detail: fmt.Sprintf("names the same VNFC as "+
					"item %d", first),
			})
		}
	}
	return problems
}

// request is the value without connections and VNFCs.
func (r *modification) request() lcm.ModifyRequest {
	return lcm.ModifyRequest{
		Name:        patchText(r.Noted, "vnfInstanceName", r.VnfInstanceName),
		Description: patchText(r.Noted, "vnfInstanceDescription", r.VnfInstanceDescription),
		VnfdID:      lcm.VnfdID(r.VnfdID), VnfPkgID: lcm.VnfPkgID(r.VnfPkgID),
		ConfigurableProperties: patchMap(r.Noted, "vnfConfigurableProperties", r.VnfConfigurableProperties),
		Metadata:               patchMap(r.Noted, "metadata", r.Metadata),
		Extensions:             patchMap(r.Noted, "extensions", r.Extensions),
	}
}

func (r *modifyV1) reading() Reading {
	request := r.request()
	request.VimConnections = patchesOfList(r.VimConnectionInfo)
	for _, id := range r.VimConnectionInfoDeleteIDs {
		request.VimConnections = append(request.VimConnections, lcm.VimConnectionPatch{ID: id, Patch: []byte("null")})
	}
	return Reading{Request: request}
}

func (r *modifyV2) reading() Reading {
	request := r.request()
	request.VimConnections = patchesOfMap(r.VimConnectionInfo)
	for _, m := range r.VnfcInfoModifications {
		request.Vnfcs = append(request.Vnfcs, lcm.VnfcInfoModifications{
			ID: m.ID, ConfigurableProperties: m.VnfcConfigurableProperties,
		})
	}
	return Reading{Request: request}
}
