package openstack

import (
	"context"
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// The resource types that Heat's own policy restricts to administrators.

// adminTypes is a table of its own, because only administrators may use these types.
var adminTypes = map[string]hot.Schema{
	"OS::Nova::Flavor": {
		Properties: map[string]hot.Property{
			"name": textU, "flavorid": text, "ram": {Type: "integer", Required: true},
			"vcpus": {Type: "integer", Required: true}, "disk": integer, "swap": integer,
			"ephemeral": integer, "rxtx_factor": {Type: "number"}, "extra_specs": mapU, "is_public": boolean, "tenants": listU,
		},
		Attributes: []string{"show", "is_public", "extra_specs"},
	},
	"OS::Cinder::VolumeType": {
		Properties: map[string]hot.Property{
			"name": {Type: "string", Required: true, Updatable: true}, "metadata": mapU, "is_public": boolean,
			"description": textU, "projects": listU,
		},
		Attributes: []string{"show"},
	},
	"OS::Neutron::QoSPolicy": {
		Properties: map[string]hot.Property{"name": textU, "description": textU, "shared": boolU, "tenant_id": text},
		Attributes: []string{"show", "rules"},
	},
	"OS::Neutron::QoSBandwidthLimitRule": {
		Properties: map[string]hot.Property{
			"policy":   {Type: "string", Required: true, Check: "neutron.qos_policy"},
			"max_kbps": {Type: "integer", Required: true, Updatable: true}, "max_burst_kbps": intU,
			"direction": {Type: "string", Updatable: true, Allowed: []string{"egress", "ingress"}}, "tenant_id": text,
		},
		Attributes: []string{"show"},
	},
}

func (h heatResources) adminMakers() map[string]maker {
	return map[string]maker{
		"OS::Nova::Flavor": {nova, "/v2.1/flavors", h.createFlavor, h.updateFlavor, h.removeFlavor, h.flavorAttributes},
		"OS::Cinder::VolumeType": {
			cinder, "/v3/types", h.createVolumeType, h.updateVolumeType, h.removeVolumeType, h.volumeTypeAttributes,
		},
		"OS::Neutron::QoSPolicy": {
			neutron, "/v2.0/qos/policies", h.createPolicy, h.updatePolicy, h.removePolicy, h.policyAttributes,
		},
		"OS::Neutron::QoSBandwidthLimitRule": {
			neutron, "/v2.0/qos/policies/bandwidth_limit_rules", h.createLimit, h.updateLimit, h.removeLimit,
			h.limitAttributes,
		},
	}
}

// MayUse refuses the types that Heat's policy restricts to administrators.
func (h heatResources) MayUse(user, project, typ string) error {
	if _, kept := adminTypes[typ]; !kept || slices.Contains(h.c.rolesOf(user, project), "admin") {
		return nil
	}
	return &hot.Error{Type: hot.Forbidden, Message: fmt.Sprintf("You are not authorized to use %s.", typ)}
}

func (h heatResources) createFlavor(_ context.Context, i hot.Item) (string, error) {
	id := str(i.Properties, "flavorid")
	if id == "" || id == "auto" {
		id = i.ID()
	}
	if i.Physical != "" {
		if have, found := state.Load(h.c.store, flavorTable, i.Physical); found {
			return have.ID, nil
		}
	}
	p := i.Properties
	f, err := h.c.newFlavor(flavorRequest{
		ID: id, Name: *nameOf(i), VCPUs: p["vcpus"], RAM: p["ram"], Disk: p["disk"], Ephemeral: p["ephemeral"],
		Swap: p["swap"], Public: boolPtr(p, "is_public"), Projects: texts(p["tenants"]),
	})
	if err != nil {
		return "", err
	}
	i.Exists(f.ID)
	_, err = h.c.changeFlavor(f.ID, func(f *Flavor) error { f.ExtraSpecs = textMap(p["extra_specs"]); return nil })
	return f.ID, err
}

func (h heatResources) updateFlavor(_ context.Context, i hot.Item, _ map[string]any) error {
	_, err := h.c.changeFlavor(i.ID(), func(f *Flavor) error {
		f.ExtraSpecs, f.Projects = textMap(i.Properties["extra_specs"]), texts(i.Properties["tenants"])
		return nil
	})
	return err
}

func (h heatResources) removeFlavor(_ context.Context, i hot.Item) error {
	if i.Physical == "" {
		return nil // it was never made; another flavor may have its id
	}
	return state.Remove(h.c.store, flavorTable, i.Physical)
}

func (h heatResources) flavorAttributes(i hot.Item) (map[string]any, error) {
	f, err := record(h, flavorTable, i)
	view := generic(h.c.flavorView(f, true))
	return map[string]any{"show": view, "is_public": !f.Private, "extra_specs": view["extra_specs"]}, err
}

func volumeTypeOf(i hot.Item) volumeTypeRequest {
	p := i.Properties
	return volumeTypeRequest{
		Name: new(str(p, "name")), Description: strPtr(p, "description"), Public: boolPtr(p, "is_public"),
		ExtraSpecs: textMap(p["metadata"]), Projects: texts(p["projects"]),
	}
}

func (h heatResources) createVolumeType(_ context.Context, i hot.Item) (string, error) {
	t, err := h.c.newVolumeType(i.ID(), volumeTypeOf(i))
	if err != nil {
		return "", err
	}
	return t.ID, nil
}

func (h heatResources) updateVolumeType(_ context.Context, i hot.Item, _ map[string]any) error {
	_, err := h.c.changeVolumeType(i.ID(), func(t *VolumeType) error { volumeTypeOf(i).apply(t); return nil })
	return err
}

func (h heatResources) removeVolumeType(_ context.Context, i hot.Item) error {
	return h.c.dropVolumeType(i.ID())
}

func (h heatResources) volumeTypeAttributes(i hot.Item) (map[string]any, error) {
	t, err := record(h, typeTable, i)
	return map[string]any{"show": generic(volumeTypeView(t))}, err
}

func policyOf(i hot.Item) policyRequest {
	return policyRequest{
		Name: nameOf(i), Description: strPtr(i.Properties, "description"), Shared: boolPtr(i.Properties, "shared"),
	}
}

func (h heatResources) createPolicy(_ context.Context, i hot.Item) (string, error) {
	project := i.ProjectID
	if other := str(i.Properties, "tenant_id"); other != "" {
		project = other
	}
	p, err := h.c.newPolicy(i.ID(), project, policyOf(i))
	return p.ID, err
}

func (h heatResources) updatePolicy(_ context.Context, i hot.Item, _ map[string]any) error {
	_, err := h.c.changePolicy(i.ID(), func(p *QoSPolicy) error { policyOf(i).apply(p); return nil })
	return err
}

func (h heatResources) removePolicy(_ context.Context, i hot.Item) error {
	return h.c.dropPolicy(i.ID())
}

func (h heatResources) policyAttributes(i hot.Item) (map[string]any, error) {
	p, err := record(h, qosPolicies, i)
	view := generic(policyView(p))
	return map[string]any{"show": view, "rules": view["rules"]}, err
}

// policyID returns the id of a QoS policy that a project may use, by id or name.
func (h heatResources) policyID(project, value string) (string, error) {
	return lookup(state.LoadAll(h.c.store, qosPolicies, ""), "policy", value, func(p QoSPolicy) (string, string, bool) {
		return p.ID, p.Name, p.ProjectID == project || p.Shared
	})
}

// policyPtr returns the policy that a resource requests; "" removes the policy.
func (h heatResources) policyPtr(i hot.Item) (*string, error) {
	value := str(i.Properties, "qos_policy")
	if value == "" {
		return new(""), nil
	}
	id, err := h.policyID(i.ProjectID, value)
	return &id, err
}

func limitOf(p map[string]any) limitRequest {
	q := limitRequest{
		MaxKbps: new(hot.Int(p["max_kbps"], 0)), MaxBurst: new(hot.Int(p["max_burst_kbps"], 0)),
		Direction: strPtr(p, "direction"),
	}
	return q
}

func (h heatResources) createLimit(_ context.Context, i hot.Item) (string, error) {
	policy, err := h.policyID(i.ProjectID, str(i.Properties, "policy"))
	if err != nil {
		return "", err
	}
	l, err := h.c.newLimit(policy, i.ID(), limitOf(i.Properties))
	return l.ID, err
}

func (h heatResources) updateLimit(_ context.Context, i hot.Item, _ map[string]any) error {
	policy, err := h.policyID(i.ProjectID, str(i.Properties, "policy"))
	if err == nil {
		_, err = h.c.changeLimit(policy, i.ID(), limitOf(i.Properties).apply)
	}
	return err
}

// removeLimit does nothing when the policy has been deleted together with its rules.
func (h heatResources) removeLimit(_ context.Context, i hot.Item) error {
	policy, err := h.policyID(i.ProjectID, str(i.Properties, "policy"))
	if err != nil {
		return notFound("QosPolicyNotFound", "%v", err)
	}
	_, err = h.c.changeLimit(policy, i.ID(), nil)
	return err
}

func (h heatResources) limitAttributes(i hot.Item) (map[string]any, error) {
	policy, err := h.policyID(i.ProjectID, str(i.Properties, "policy"))
	if err != nil {
		return nil, err
	}
	p, _ := state.Load(h.c.store, qosPolicies, policy)
	for _, l := range p.rules(false) {
		if l["id"] == i.ID() {
			return map[string]any{"show": generic(l)}, nil
		}
	}
	return nil, limitNotFound(policy, i.ID())
}
