package openstack

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// QoSPolicy is a QoS policy of Neutron. The lab stores it and limits nothing.
type QoSPolicy struct {
	ID, Name, Description, ProjectID string
	Shared, Default                  bool
	Rules                            []BandwidthLimit
	Created, Updated                 time.Time
}

// BandwidthLimit is a rule of a QoS policy.
type BandwidthLimit struct {
	ID        string `json:"id"`
	MaxKbps   int    `json:"max_kbps"`
	MaxBurst  int    `json:"max_burst_kbps"`
	Direction string `json:"direction"`
}

const qosPolicies = state.Table[QoSPolicy]("neutron_qos_policies")

func (rt *router) bandwidthLimits() {
	c := rt.c
	const rules, member = "/v2.0/qos/policies/{id}/bandwidth_limit_rules", "bandwidth_limit_rule"
	policy := func(r *request) (QoSPolicy, error) { return c.policy(r, r.PathValue("id")) }
	rt.on(neutron, "GET "+rules, with(policy, func(_ *request, p QoSPolicy) (reply, error) {
		return ok(object{"bandwidth_limit_rules": p.rules(false)})
	}))
	rt.on(neutron, "GET "+rules+"/{rule}", with(policy, showLimit))
	rt.on(neutron, "POST "+rules, restricted(c.mayLimit, "create_policy_bandwidth_limit_rule", given(member, c.createLimit)))
	rt.on(neutron, "PUT "+rules+"/{rule}", restricted(c.mayLimit, "update_policy_bandwidth_limit_rule",
		given(member, c.updateLimit)))
	rt.on(neutron, "DELETE "+rules+"/{rule}", restricted(c.mayLimit, "delete_policy_bandwidth_limit_rule", c.deleteLimit))
	rt.on(neutron, "GET /v2.0/qos/rule-types", func(*request) (reply, error) {
		return ok(object{"rule_types": []object{{"type": "bandwidth_limit"}}})
	})
}

// rules returns the limits in Neutron's form; a policy's view also has their type.
func (p QoSPolicy) rules(typed bool) []object {
	out := []object{}
	for _, l := range p.Rules {
		view := object{"id": l.ID, "max_kbps": l.MaxKbps, "max_burst_kbps": l.MaxBurst, "direction": l.Direction}
		if typed {
			view["type"], view["qos_policy_id"] = "bandwidth_limit", p.ID
		}
		out = append(out, view)
	}
	return out
}

func policyView(p QoSPolicy) object {
	return object{
		"id": p.ID, "name": p.Name, "description": p.Description, "project_id": p.ProjectID, "tenant_id": p.ProjectID,
		"shared": p.Shared, "is_default": p.Default, "rules": p.rules(true), "revision_number": 1,
		"created_at": stamp(p.Created), "updated_at": stamp(p.Updated),
	}
}

func (c *Cloud) listPolicies(r *request) []QoSPolicy {
	return slices.DeleteFunc(state.LoadAll(c.store, qosPolicies, ""),
		func(p QoSPolicy) bool { return !r.sees(p.ProjectID) && !p.Shared })
}

func policyNotFound(id string) error {
	return notFound("QosPolicyNotFound", "QoS policy %s could not be found.", id)
}

func (c *Cloud) policy(r *request, id string) (QoSPolicy, error) {
	p, found := state.Load(c.store, qosPolicies, id)
	if !found || !r.sees(p.ProjectID) && !p.Shared {
		return p, policyNotFound(id)
	}
	return p, nil
}

// mayLimit refuses callers who are not administrators, as Neutron's own policy does.
func (c *Cloud) mayLimit(r *request, rule string) error {
	if r.token.Admin() {
		return nil
	}
	if id := r.PathValue("id"); id != "" {
		if _, err := c.policy(r, id); err != nil {
			return err
		}
	}
	return fail(http.StatusForbidden, "PolicyNotAuthorized", "rule:%s is disallowed by policy", rule)
}

type policyRequest struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	Shared      *bool   `json:"shared"`
	Default     *bool   `json:"is_default"`
	ProjectID   *string `json:"project_id"`
}

func (q policyRequest) apply(p *QoSPolicy) {
	set(&p.Name, q.Name)
	set(&p.Description, q.Description)
	set(&p.Shared, q.Shared)
	set(&p.Default, q.Default)
}

func (c *Cloud) createPolicy(r *request, q policyRequest) (QoSPolicy, error) {
	if err := c.mayLimit(r, "create_policy"); err != nil {
		return QoSPolicy{}, err
	}
	project := r.project()
	set(&project, q.ProjectID)
	return c.newPolicy(uuid.NewString(), project, q)
}

// newPolicy makes a QoS policy, or finds the policy that has the id already.
func (c *Cloud) newPolicy(id, project string, q policyRequest) (QoSPolicy, error) {
	p := QoSPolicy{ID: id, ProjectID: project, Created: c.now(), Updated: c.now()}
	q.apply(&p)
	return p, c.store.Update(func(tx *state.Tx) error {
		if have, found := qosPolicies.Get(tx, id); found {
			p = have
			return nil
		}
		return qosPolicies.Put(tx, id, p)
	})
}

// changePolicy changes an existing policy.
func (c *Cloud) changePolicy(id string, change func(*QoSPolicy) error) (QoSPolicy, error) {
	p, found, err := state.Change(c.store, qosPolicies, id, func(p *QoSPolicy) error {
		p.Updated = c.now()
		return change(p)
	})
	if err == nil && !found {
		err = policyNotFound(id)
	}
	return p, err
}

func (c *Cloud) updatePolicy(r *request, id string, q policyRequest) (QoSPolicy, error) {
	if err := c.mayLimit(r, "update_policy"); err != nil {
		return QoSPolicy{}, err
	}
	return c.changePolicy(id, func(p *QoSPolicy) error { q.apply(p); return nil })
}

func (c *Cloud) deletePolicy(r *request, id string) error {
	if err := c.mayLimit(r, "delete_policy"); err != nil {
		return err
	}
	if _, err := c.policy(r, id); err != nil {
		return err
	}
	return c.dropPolicy(id)
}

// dropPolicy deletes a policy that nothing uses.
func (c *Cloud) dropPolicy(id string) error {
	return c.store.Update(func(tx *state.Tx) error {
		for _, n := range networks.All(tx) {
			if n.QoSPolicyID == id {
				return conflict("QosPolicyInUse", "QoS Policy %s is used by network %s.", id, n.ID)
			}
		}
		for _, p := range ports.All(tx) {
			if p.QoSPolicyID == id {
				return conflict("QosPolicyInUse", "QoS Policy %s is used by port %s.", id, p.ID)
			}
		}
		return qosPolicies.Delete(tx, id)
	})
}

// useOfPolicy checks that a network or a port may use a policy; "" removes the policy.
func (c *Cloud) useOfPolicy(project string, admin bool, id *string) error {
	if id == nil || *id == "" {
		return nil
	}
	if p, found := state.Load(c.store, qosPolicies, *id); !found || p.ProjectID != project && !p.Shared && !admin {
		return policyNotFound(*id)
	}
	return nil
}

type limitRequest struct {
	MaxKbps   *int    `json:"max_kbps"`
	MaxBurst  *int    `json:"max_burst_kbps"`
	Direction *string `json:"direction"`
}

func (q limitRequest) apply(l *BandwidthLimit) error {
	set(&l.MaxKbps, q.MaxKbps)
	set(&l.MaxBurst, q.MaxBurst)
	set(&l.Direction, q.Direction)
	switch {
	case l.Direction != "egress" && l.Direction != "ingress":
		return badRequest("Invalid input for direction. Reason: '%s' is not in ['ingress', 'egress'].", l.Direction)
	case l.MaxKbps < 0 || l.MaxBurst < 0:
		return badRequest("Invalid input for max_kbps. Reason: '%d' is not in the range of 0 to 2147483647.",
			min(l.MaxKbps, l.MaxBurst))
	}
	return nil
}

// newLimit adds a rule to a policy, or finds the rule that has the id already. A policy has one rule for each
// direction.
func (c *Cloud) newLimit(policy, id string, q limitRequest) (BandwidthLimit, error) {
	l := BandwidthLimit{ID: id, Direction: "egress"}
	if q.MaxKbps == nil {
		return l, badRequest("Failed to parse request. Required attribute 'max_kbps' not specified")
	}
	if err := q.apply(&l); err != nil {
		return l, err
	}
	_, err := c.changePolicy(policy, func(p *QoSPolicy) error {
		for _, other := range p.Rules {
			if other.ID == id {
				l = other
				return nil
			}
			if other.Direction == l.Direction {
				return conflict("QoSRulesConflict",
					"Rule bandwidth_limit conflicts with rule %s which already exists in QoS Policy %s.", other.ID, p.ID)
			}
		}
		p.Rules = append(p.Rules, l)
		return nil
	})
	return l, err
}

func limitNotFound(policy, id string) error {
	return notFound("QosRuleNotFound", "QoS rule %s for policy %s could not be found.", id, policy)
}

// changeLimit changes a rule, or deletes it when change is nil.
func (c *Cloud) changeLimit(policy, id string, change func(*BandwidthLimit) error) (l BandwidthLimit, err error) {
	_, err = c.changePolicy(policy, func(p *QoSPolicy) error {
		i := slices.IndexFunc(p.Rules, func(l BandwidthLimit) bool { return l.ID == id })
		if i < 0 {
			return limitNotFound(policy, id)
		}
		if change == nil {
			p.Rules = slices.Delete(p.Rules, i, i+1)
			return nil
		}
		err := change(&p.Rules[i])
		l = p.Rules[i]
		return err
	})
	return l, err
}

func (c *Cloud) createLimit(r *request, q limitRequest) (reply, error) {
	l, err := c.newLimit(r.PathValue("id"), uuid.NewString(), q)
	return one(http.StatusCreated, "bandwidth_limit_rule", l, err)
}

func showLimit(r *request, p QoSPolicy) (reply, error) {
	l, found := first(p.Rules, func(l BandwidthLimit) bool { return l.ID == r.PathValue("rule") })
	if !found {
		return reply{}, limitNotFound(p.ID, r.PathValue("rule"))
	}
	return ok(object{"bandwidth_limit_rule": l})
}

func (c *Cloud) updateLimit(r *request, q limitRequest) (reply, error) {
	l, err := c.changeLimit(r.PathValue("id"), r.PathValue("rule"), q.apply)
	return one(http.StatusOK, "bandwidth_limit_rule", l, err)
}

func (c *Cloud) deleteLimit(r *request) (reply, error) {
	_, err := c.changeLimit(r.PathValue("id"), r.PathValue("rule"), nil)
	return empty(http.StatusNoContent, err)
}
