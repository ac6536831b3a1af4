package worker

import (
	"encoding/json"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// forThisHeal are members of a heal request's additionalParams that are no parameters of the VNF.
var forThisHeal = []string{lcm.KeepVolumes, lcm.HealAll}

// lasting is what of a heal request's additionalParams is laid over those of the VNF, and stays.
func lasting(additional json.RawMessage) (json.RawMessage, error) {
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
	patch, err := lasting(additional)
	if err != nil {
		return nil, err
	}
	out, err := jsonpatch.MergePatch(stored, patch)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	return out, nil
}
