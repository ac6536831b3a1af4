package k8s

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Modified is a VNF instance after a modification, with the new registries of a cluster among the parameters of its
// instantiation, where every later operation reads them.
func Modified(r lcm.ModifyRequest, before, after lcm.VnfInstance) (lcm.VnfInstance, error) {
	list, given := r.Registries(before)
	if !given || after.Instantiated == nil {
		return after, nil
	}
	additional, err := withRegistries(after.Instantiated.AdditionalParams, list)
	if err != nil {
		return after, err
	}
	info := *after.Instantiated
	info.AdditionalParams = additional
	after.Instantiated = &info
	return after, nil
}

// withRegistries puts the new registries into additionalParams. It leaves the parameters of a VNF that is no cluster as
// they are.
func withRegistries(additionalParams json.RawMessage, list any) (json.RawMessage, error) {
	outer, cluster := clusterMembers(additionalParams)
	if cluster == nil {
		return additionalParams, nil
	}
	doc, err := json.Marshal(list)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The registries cannot be written.")
	}
	cluster[lcm.RegistriesKey] = doc
	if list == nil {
		delete(cluster, lcm.RegistriesKey)
	}
	if outer[ParamsKey], err = json.Marshal(cluster); err == nil {
		doc, err = json.Marshal(outer)
	}
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "The parameters cannot be written.")
	}
	return doc, nil
}

// clusterMembers returns the members of additionalParams, and the members of the cluster's parameters in it; nil
// without any.
func clusterMembers(additionalParams json.RawMessage) (outer, cluster map[string]json.RawMessage) {
	if json.Unmarshal(additionalParams, &outer) != nil || json.Unmarshal(outer[ParamsKey], &cluster) != nil {
		return nil, nil
	}
	return outer, cluster
}

// ShowRegistries returns the configurable properties of a VNF instance together with the registries of its cluster.
// Clients read and change the nodes' registries there. It changes neither argument.
func ShowRegistries(properties map[string]any, additionalParams json.RawMessage) map[string]any {
	var of struct {
		Cluster struct {
			Registries json.RawMessage `json:"private_registry_connection_info"`
		} `json:"k8s_cluster_installation_param"`
	}
	var list any
	if json.Unmarshal(additionalParams, &of) == nil && !params.Absent(of.Cluster.Registries) {
		d := json.NewDecoder(bytes.NewReader(of.Cluster.Registries))
		d.UseNumber()
		_ = d.Decode(&list) // it is part of a document that was read
	}
	if _, shown := properties[lcm.RegistriesKey]; list == nil && !shown {
		return properties
	}
	out := maps.Clone(properties)
	if out == nil {
		out = map[string]any{}
	}
	if delete(out, lcm.RegistriesKey); list != nil {
		out[lcm.RegistriesKey] = list
	}
	return out
}
