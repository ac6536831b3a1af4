package lcm

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/windlass-nfv/windlass/internal/params"
)

// Registries reports whether the modification changes the registries of the VNF, and returns the new ones; nil for
// none.
func (r ModifyRequest) Registries(inst VnfInstance) (list any, given bool) {
	switch {
	case !r.ConfigurableProperties.Given:
		return nil, false
	case r.ConfigurableProperties.Members == nil: // the patch removes all properties
		_, had := inst.ConfigurableProperties[RegistriesKey]
		return nil, had
	default:
		list, given = r.ConfigurableProperties.Members[RegistriesKey]
		return list, given
	}
}

// applyRegistries stores the new registries of a cluster among its instantiation parameters, where every later
// operation reads them.
func (r ModifyRequest) applyRegistries(inst *VnfInstance, before VnfInstance) error {
	list, given := r.Registries(before)
	if !given || inst.Instantiated == nil {
		return nil
	}
	params, err := withRegistries(inst.Instantiated.AdditionalParams, list)
	if err != nil {
		return err
	}
	info := *inst.Instantiated
	info.AdditionalParams = params
	inst.Instantiated = &info
	return nil
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
		return nil, Wrap(KindBug, err, "The registries cannot be written.")
	}
	cluster[RegistriesKey] = doc
	if list == nil {
		delete(cluster, RegistriesKey)
	}
	if outer[ClusterParamsKey], err = json.Marshal(cluster); err == nil {
		doc, err = json.Marshal(outer)
	}
	if err != nil {
		return nil, Wrap(KindBug, err, "The parameters cannot be written.")
	}
	return doc, nil
}

// clusterMembers returns the members of additionalParams, and the members of the cluster's parameters in it; nil
// without any.
func clusterMembers(additionalParams json.RawMessage) (outer, cluster map[string]json.RawMessage) {
	if json.Unmarshal(additionalParams, &outer) != nil || json.Unmarshal(outer[ClusterParamsKey], &cluster) != nil {
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
	if _, shown := properties[RegistriesKey]; list == nil && !shown {
		return properties
	}
	out := maps.Clone(properties)
	if out == nil {
		out = map[string]any{}
	}
	if delete(out, RegistriesKey); list != nil {
		out[RegistriesKey] = list
	}
	return out
}
