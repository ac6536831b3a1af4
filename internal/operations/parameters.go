package operations

import (
	"encoding/json"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// forThisHeal are members of a heal request's additionalParams that are no parameters of the VNF.
var forThisHeal = []string{lcm.KeepVolumes, lcm.HealAll, lcm.Patience}

// keptParams is what of a heal request's additionalParams is laid over those of the VNF, and stays.
func keptParams(additional json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(additional, &members); err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	if !slices.ContainsFunc(forThisHeal, func(key string) bool { _, ok := members[key]; return ok }) {
		return additional, nil
	}
	for _, key := range forThisHeal {
		delete(members, key)
	}
	return json.Marshal(members)
}

// merged lays what of a heal request lasts over the parameters of the VNF (RFC 7396).
func merged(stored, additional json.RawMessage) (json.RawMessage, error) {
	patch, err := keptParams(additional)
	if err != nil {
		return nil, err
	}
	out, err := jsonpatch.MergePatch(stored, patch)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	return out, nil
}

// graceful tells whether a termination, or a stop, takes the VNF out of service first.
func graceful(opOcc lcm.VnfLcmOpOcc) (bool, error) {
	if len(opOcc.Params) == 0 {
		return false, nil
	}
	switch opOcc.Operation {
	case lcm.OpTerminate:
		request, err := lcm.ParseTerminate(opOcc.Params)
		return request.Graceful(), err
	case lcm.OpOperate:
		request, err := lcm.ParseOperate(opOcc.Params)
		return request.Graceful(), err
	default:
		return false, nil
	}
}

// IsRegistryServer reports whether Windlass's own driver makes a registry of images of the VNF's machine.
func (o *Operation) IsRegistryServer() bool {
	return registry.Makes(o.Flavour)
}

// SeparateResources tells whether each VNFC is a resource of its own in the deployment.
func (o *Operation) SeparateResources() bool {
	return lcm.ParseUserData(o.Request.AdditionalParams).SeparateResources()
}

// Unhonourable is the error of a part of a grant that Windlass cannot keep to.
func Unhonourable(path, detail string) error {
	return lcm.InvalidAll(lcm.UnhonouredGrant, []lcm.Problem{{Path: path, Detail: detail}})
}
