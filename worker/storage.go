package worker

import (
	"encoding/json"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/plan"
)

// describeStorage adds to d what decides the steps of a cluster with a storage server.
func describeStorage(j *job, params lcm.ClusterParams, d *activities.Description) error {
	if params.StorageServer == nil {
		return nil
	}
	d.Storage, d.PersistentVolumes, d.StorageClasses = true, len(params.PersistentVolumes) > 0, len(params.StorageClasses) > 0
	if j.inst.Instantiated == nil {
		return nil
	}
	facts := plan.Facts{Instance: j.inst, Flavour: j.flavour, Cluster: &params}
	d.StorageServer = facts.StorageServer()
	if !changes(j.opOcc.Operation) {
		return nil
	}
	p, err := j.plan(nil)
	if err != nil || p.Whole {
		return err
	}
	d.StorageLeaves = facts.ReplacesStorage(p)
	d.OnlyStorage = d.StorageLeaves && len(d.Nodes.On(p.LeavingServers())) == 0
	return nil
}

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
