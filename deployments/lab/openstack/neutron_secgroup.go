package openstack

import (
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// SecurityGroup is a Neutron security group. The lab stores it and filters nothing.
type SecurityGroup struct {
	ID, Name, Description, ProjectID string
	Rules                            []SecurityRule
	Created, Updated                 time.Time
}

// SecurityRule is one rule of a group.
type SecurityRule struct {
	ID             string  `json:"id"`
	GroupID        string  `json:"security_group_id"`
	Direction      string  `json:"direction"`
	EtherType      string  `json:"ethertype"`
	Protocol       *string `json:"protocol"`
	PortMin        *int    `json:"port_range_min"`
	PortMax        *int    `json:"port_range_max"`
	RemotePrefix   *string `json:"remote_ip_prefix"`
	RemoteGroup    *string `json:"remote_group_id"`
	Description    string  `json:"description"`
	ProjectID      string  `json:"project_id"`
	TenantID       string  `json:"tenant_id"`
	RevisionNumber int     `json:"revision_number"`
}

const secgroups = state.Table[SecurityGroup]("neutron_security_groups")

// defaultGroup returns a project's default group, and makes it at its first use.
func (c *Cloud) defaultGroup(tx *state.Tx, project string) (SecurityGroup, error) {
	for _, g := range secgroups.All(tx) {
		if g.ProjectID == project && g.Name == "default" {
			return g, nil
		}
	}
	g := c.freshGroup(uuid.NewString(), project, "default", "Default security group")
	for _, ether := range []string{"IPv4", "IPv6"} {
		g.Rules = append(g.Rules, SecurityRule{
			ID: uuid.NewString(), GroupID: g.ID, Direction: "ingress", EtherType: ether, RemoteGroup: &g.ID, ProjectID: project,
			TenantID: project,
		})
	}
	return g, secgroups.Put(tx, g.ID, g)
}

// freshGroup returns a new group, which lets all traffic out.
func (c *Cloud) freshGroup(id, project, name, description string) SecurityGroup {
	g := SecurityGroup{
		ID: id, Name: name, Description: description, ProjectID: project, Created: c.now(), Updated: c.now(),
	}
	for _, ether := range []string{"IPv4", "IPv6"} {
		g.Rules = append(g.Rules, SecurityRule{
			ID: uuid.NewString(), GroupID: id, Direction: "egress", EtherType: ether,
			ProjectID: project, TenantID: project,
		})
	}
	return g
}

func groupView(g SecurityGroup) object {
	return object{
		"id": g.ID, "name": g.Name, "description": g.Description, "project_id": g.ProjectID, "tenant_id": g.ProjectID,
		"stateful": true, "shared": false, "security_group_rules": listed(g.Rules), "revision_number": 1,
		"created_at": stamp(g.Created), "updated_at": stamp(g.Updated),
	}
}

func (c *Cloud) listGroups(r *request) []SecurityGroup {
	_ = c.store.Update(func(tx *state.Tx) error { _, err := c.defaultGroup(tx, r.project()); return err })
	return c.groupsSeen(r)
}

func (c *Cloud) groupsSeen(r *request) []SecurityGroup {
	return slices.DeleteFunc(state.LoadAll(c.store, secgroups, ""),
		func(g SecurityGroup) bool { return !r.sees(g.ProjectID) })
}

func (c *Cloud) group(r *request, id string) (SecurityGroup, error) {
	g, found := state.Load(c.store, secgroups, id)
	if !found || !r.sees(g.ProjectID) {
		return g, notFound("SecurityGroupNotFound", "Security group %s does not exist", id)
	}
	return g, nil
}

type groupRequest struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
}

func (c *Cloud) createGroup(r *request, q groupRequest) (SecurityGroup, error) {
	return c.newGroup(uuid.NewString(), r.project(), q, nil)
}

func (c *Cloud) newGroup(id, project string, q groupRequest, rules []SecurityRule) (SecurityGroup, error) {
	g := c.freshGroup(id, project, "", "")
	set(&g.Name, q.Name)
	set(&g.Description, q.Description)
	for _, rule := range rules {
		g.Rules = append(g.Rules, c.finishRule(rule, g))
	}
	return g, c.store.Update(func(tx *state.Tx) error {
		if have, found := secgroups.Get(tx, id); found {
			g = have
			return nil
		}
		if err := c.neutronQuota(tx, project, "security_group"); err != nil {
			return err
		}
		return secgroups.Put(tx, id, g)
	})
}

func (c *Cloud) finishRule(rule SecurityRule, g SecurityGroup) SecurityRule {
	rule.ID, rule.GroupID, rule.ProjectID, rule.TenantID = uuid.NewString(), g.ID, g.ProjectID, g.ProjectID
	if rule.Direction == "" {
		rule.Direction = "ingress"
	}
	if rule.EtherType == "" {
		rule.EtherType = "IPv4"
	}
	return rule
}

func (c *Cloud) updateGroup(r *request, id string, q groupRequest) (SecurityGroup, error) {
	if g, err := c.group(r, id); err != nil {
		return g, err
	}
	g, _, err := state.Change(c.store, secgroups, id, func(g *SecurityGroup) error {
		set(&g.Name, q.Name)
		set(&g.Description, q.Description)
		return nil
	})
	return g, err
}

func (c *Cloud) deleteGroup(r *request, id string) error {
	g, err := c.group(r, id)
	if err != nil {
		return err
	}
	if g.Name == "default" {
		return conflict("SecurityGroupCannotRemoveDefault", "Insufficient rights for removing default security group.")
	}
	return c.dropGroup(id)
}

func (c *Cloud) dropGroup(id string) error {
	return c.store.Update(func(tx *state.Tx) error {
		for _, p := range ports.All(tx) {
			if slices.Contains(p.SecurityGroups, id) {
				return conflict("SecurityGroupInUse", "Security Group %s in use.", id)
			}
		}
		return errors.Join(secgroups.Delete(tx, id), tags.Delete(tx, id))
	})
}

func ruleView(rule SecurityRule) object {
	return object{
		"id": rule.ID, "security_group_id": rule.GroupID, "direction": rule.Direction, "ethertype": rule.EtherType,
		"protocol": rule.Protocol, "port_range_min": rule.PortMin, "port_range_max": rule.PortMax,
		"remote_ip_prefix": rule.RemotePrefix, "remote_group_id": rule.RemoteGroup, "description": rule.Description,
		"project_id": rule.ProjectID, "tenant_id": rule.TenantID, "revision_number": 0,
	}
}

func (c *Cloud) listRules(r *request) (out []SecurityRule) {
	for _, g := range c.groupsSeen(r) {
		out = append(out, g.Rules...)
	}
	return out
}

func (c *Cloud) rule(r *request, id string) (SecurityRule, error) {
	rule, found := first(c.listRules(r), func(rule SecurityRule) bool { return rule.ID == id })
	if !found {
		return rule, notFound("SecurityGroupRuleNotFound", "Security group rule %s does not exist", id)
	}
	return rule, nil
}

func (c *Cloud) createRule(r *request, rule SecurityRule) (SecurityRule, error) {
	g, err := c.group(r, rule.GroupID)
	if err != nil {
		return rule, err
	}
	rule = c.finishRule(rule, g)
	_, _, err = state.Change(c.store, secgroups, g.ID, func(g *SecurityGroup) error {
		g.Rules = append(g.Rules, rule)
		return nil
	})
	return rule, err
}

func (c *Cloud) deleteRule(r *request, id string) error {
	rule, err := c.rule(r, id)
	if err != nil {
		return err
	}
	_, _, err = state.Change(c.store, secgroups, rule.GroupID, func(g *SecurityGroup) error {
		g.Rules = slices.DeleteFunc(g.Rules, func(o SecurityRule) bool { return o.ID == id })
		return nil
	})
	return err
}
