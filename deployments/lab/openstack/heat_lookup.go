package openstack

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Check tests a value of a template against the cloud's records.
func (h heatResources) Check(project, constraint, value string) error {
	found, entity := true, ""
	var err error
	switch constraint {
	case "nova.flavor":
		_, found = h.c.findFlavor(project, value)
		entity = "Flavor"
	case "glance.image":
		_, found = h.c.findImage(project, value)
		entity = "Image"
	case "nova.keypair":
		found, entity = h.anyKeyPair(project, value), "Key"
	case "cinder.vtype":
		_, found = h.c.findVolumeType(project, value)
		entity = "VolumeType"
	case "neutron.qos_policy":
		if value != "" {
			_, err = h.policyID(project, value)
		}
	case "neutron.network":
		_, err = h.networkID(project, value)
	case "neutron.subnet":
		_, err = h.subnetID(project, value)
	}
	if !found {
		return fmt.Errorf("The %s (%s) could not be found.", entity, value) //nolint:staticcheck,revive // Heat's words
	}
	return err
}

func (h heatResources) anyKeyPair(project, name string) bool {
	return slices.ContainsFunc(state.LoadAll(h.c.store, keypairs, ""),
		func(k KeyPair) bool { return k.ProjectID == project && k.Name == name })
}

// lookup returns the id of the object with that id or, if it is unique, with that name.
func lookup[T any](all []T, entity, value string, match func(T) (id, name string, visible bool)) (string, error) {
	var found []string
	for _, v := range all {
		id, name, visible := match(v)
		switch {
		case !visible:
		case id == value:
			return id, nil
		case name == value:
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &hot.Error{Type: "NotFound", Message: fmt.Sprintf("Unable to find %s with name or id '%s'", entity, value)}
	default:
		return "", &hot.Error{
			Type:    "NeutronClientNoUniqueMatch",
			Message: fmt.Sprintf("Multiple %ss match with name '%s', use an ID to be more specific.", entity, value),
		}
	}
}

func (h heatResources) networkID(project, value string) (string, error) {
	return lookup(state.LoadAll(h.c.store, networks, ""), "network", value, func(n Network) (string, string, bool) {
		return n.ID, n.Name, n.ProjectID == project || n.Shared || n.External
	})
}

func (h heatResources) subnetID(project, value string) (string, error) {
	return lookup(state.LoadAll(h.c.store, subnets, ""), "subnet", value, func(s Subnet) (string, string, bool) {
		n, found := state.Load(h.c.store, networks, s.NetworkID)
		return s.ID, s.Name, found && (s.ProjectID == project || n.Shared || n.External)
	})
}

// Properties arrive as what JSON makes of them.

func str(props map[string]any, keys ...string) string {
	for _, key := range keys {
		switch v := props[key].(type) {
		case string:
			return v
		case nil:
		default:
			return fmt.Sprint(v)
		}
	}
	return ""
}

func strPtr(props map[string]any, key string) *string {
	if _, given := props[key]; !given {
		return nil
	}
	return new(str(props, key))
}

func boolPtr(props map[string]any, key string) *bool {
	v, valid := hot.Bool(props[key])
	if !valid {
		return nil
	}
	return &v
}

func textMap(v any) map[string]string {
	out := map[string]string{}
	m, _ := v.(map[string]any)
	for k, item := range m {
		if s, isText := item.(string); isText {
			out[k] = s
		} else {
			out[k] = fmt.Sprint(item)
		}
	}
	return out
}

func objects(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, item := range list {
		if m, isMap := item.(map[string]any); isMap {
			out = append(out, m)
		}
	}
	return out
}

func texts(v any) []string {
	if s, isText := v.(string); isText {
		return splitComma(s)
	}
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		out = append(out, fmt.Sprint(item))
	}
	return out
}
