package operations

import (
	"encoding/json"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// forThisHeal are members of a heal's additionalParams that are not parameters of the VNF.
var forThisHeal = []string{lcm.KeepVolumes, lcm.HealAll, lcm.Patience, lcm.ReadyTimeout}

// keptParams returns the members of a heal's additionalParams that become lasting parameters of the VNF.
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

// merged merges the lasting members of a heal's additionalParams into the VNF's parameters (RFC 7396).
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

// IsRegistryServer reports whether Windlass's own driver makes an image registry from the VNF's machine.
func (o *Operation) IsRegistryServer() bool {
	return registry.Makes(o.Flavour)
}

// SeparateResources tells whether the deployment has a separate resource for each VNFC.
func (o *Operation) SeparateResources() bool {
	return lcm.ParseUserData(o.Request.AdditionalParams).SeparateResources()
}

// Unhonourable is the error for a part of a grant that Windlass cannot honour.
func Unhonourable(path, detail string) error {
	return lcm.InvalidAll(lcm.UnhonouredGrant, []lcm.Problem{{Path: path, Detail: detail}})
}
