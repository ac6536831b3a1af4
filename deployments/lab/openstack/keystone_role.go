package openstack

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Role is a role that administrators have made; admin, member and reader are the seed's.
type Role struct{ ID, Name string }

// RoleGrant gives a user a role on a project.
type RoleGrant struct{ UserID, ProjectID, RoleID string }

func (g RoleGrant) key() string { return g.UserID + "/" + g.ProjectID + "/" + g.RoleID }

const (
	roleTable = state.Table[Role]("keystone_roles")
	grants    = state.Table[RoleGrant]("keystone_role_assignments")
)

// implied maps a role to the roles that it includes, as Keystone sets them up.
var implied = map[string][]string{"admin": {"admin", "member", "reader"}, "member": {"member", "reader"}}

func (c *Cloud) allRoles() []Role {
	var out []Role
	for _, name := range slices.Sorted(maps.Keys(c.seed.Roles)) {
		out = append(out, Role{ID: c.seed.Roles[name], Name: name})
	}
	return append(out, state.LoadAll(c.store, roleTable, "")...)
}

// roleID is the id of a role.
func (c *Cloud) roleID(name string) string {
	role, _ := first(c.allRoles(), func(role Role) bool { return role.Name == name })
	return role.ID
}

// rolesOf returns the names of a user's roles on a project, nil for none. The user demo is a member of demo; admin has
// the role admin on every project.
func (c *Cloud) rolesOf(user, project string) (out []string) {
	switch {
	case user == c.seed.Users["admin"]:
		return implied["admin"]
	case user == c.seed.Users["demo"] && project == c.seed.Projects["demo"]:
		out = slices.Clone(implied["member"])
	}
	for _, g := range state.LoadAll(c.store, grants, user+"/"+project+"/") {
		if role, err := c.role(g.RoleID); err == nil {
			for _, name := range append([]string{role.Name}, implied[role.Name]...) {
				out = appendMissing(out, name)
			}
		}
	}
	return out
}

func (rt *router) keystoneRoles() {
	c := rt.c
	admin := func(action string, h handler) handler { return restricted(mayIdentify, action, h) }
	find := func(r *request) (Role, error) { return c.role(r.PathValue("id")) }
	rt.on(keystone, "GET /v3/roles", admin("list_roles", c.listRoles))
	rt.on(keystone, "POST /v3/roles", admin("create_role", given("role", c.createRole)))
	rt.on(keystone, "GET /v3/roles/{id}", admin("get_role", show("role", find, roleView)))
	rt.on(keystone, "DELETE /v3/roles/{id}", admin("delete_role", with(find, c.deleteRole)))
	rt.on(keystone, "GET /v3/role_assignments", c.listAssignments)
	const base = "/v3/projects/{project_id}/users/{user_id}/roles"
	const item = base + "/{role_id}"
	rt.on(keystone, "GET "+base, with(c.grantOf, c.listGrants))
	rt.on(keystone, "PUT "+item, with(c.grantOf, func(_ *request, g RoleGrant) (reply, error) {
		return empty(http.StatusNoContent, state.Save(c.store, grants, g.key(), g))
	}))
	none := func(*request, RoleGrant) (reply, error) { return noContent() }
	rt.on(keystone, "GET "+item, with(c.madeGrant, none)) // HEAD too
	rt.on(keystone, "DELETE "+item, with(c.madeGrant, c.withdrawRole))
}

func roleView(role Role) object {
	return object{
		"id": role.ID, "name": role.Name, "domain_id": nil, "description": nil, "options": object{}, "links": object{},
	}
}

func (c *Cloud) listRoles(r *request) (reply, error) {
	shown := func(role Role) bool { return wants(r, role.Name) }
	return ok(object{"roles": views(c.allRoles(), shown, roleView), "links": object{}})
}

func (c *Cloud) role(id string) (Role, error) {
	role, found := first(c.allRoles(), func(role Role) bool { return role.ID == id })
	if !found {
		return role, notFound("NotFound", "Could not find role: %s.", id)
	}
	return role, nil
}

type roleRequest struct {
	Name string `json:"name"`
}

func (c *Cloud) createRole(_ *request, q roleRequest) (reply, error) {
	switch {
	case q.Name == "":
		return reply{}, errNoName
	case c.roleID(q.Name) != "":
		return reply{}, conflict("Conflict",
			"Conflict occurred attempting to store role - Duplicate entry found with name %s.", q.Name)
	}
	role := Role{ID: hexID(), Name: q.Name}
	return one(http.StatusCreated, "role", roleView(role), state.Save(c.store, roleTable, role.ID, role))
}

func (c *Cloud) deleteRole(_ *request, role Role) (reply, error) {
	if _, made := state.Load(c.store, roleTable, role.ID); !made {
		return reply{}, fail(http.StatusForbidden, "Forbidden",
			"The lab does not delete the roles that it has from the start.")
	}
	return empty(http.StatusNoContent, c.store.Update(func(tx *state.Tx) error {
		return errors.Join(
			deleteIf(tx, grants, func(g RoleGrant) (string, bool) { return g.key(), g.RoleID == role.ID }),
			roleTable.Delete(tx, role.ID),
		)
	}))
}

func (c *Cloud) listAssignments(r *request) (reply, error) {
	if err := mayIdentify(r, "list_role_assignments"); err != nil {
		return reply{}, err
	}
	q := r.URL.Query()
	out := []object{}
	for _, g := range state.LoadAll(c.store, grants, "") {
		fits := func(key, have string) bool { return !q.Has(key) || q.Get(key) == have }
		if fits("user.id", g.UserID) && fits("scope.project.id", g.ProjectID) && fits("role.id", g.RoleID) {
			out = append(out, object{
				"role": object{"id": g.RoleID}, "user": object{"id": g.UserID},
				"scope": object{"project": object{"id": g.ProjectID}}, "links": object{},
			})
		}
	}
	return ok(object{"role_assignments": out, "links": object{}})
}

// grantOf returns the grant in a request's path; its user, project and role must exist.
func (c *Cloud) grantOf(r *request) (RoleGrant, error) {
	g := RoleGrant{UserID: r.PathValue("user_id"), ProjectID: r.PathValue("project_id"), RoleID: r.PathValue("role_id")}
	if err := mayIdentify(r, "create_grant"); err != nil {
		return g, err
	}
	if _, found := c.findProject(nameOrID{ID: g.ProjectID}); !found {
		return g, projectNotFound(g.ProjectID)
	}
	if _, found := c.findUser(nameOrID{ID: g.UserID}); !found {
		return g, userNotFound(g.UserID)
	}
	if g.RoleID == "" {
		return g, nil
	}
	_, err := c.role(g.RoleID)
	return g, err
}

func (c *Cloud) listGrants(_ *request, g RoleGrant) (reply, error) {
	out := []object{}
	for _, have := range state.LoadAll(c.store, grants, g.UserID+"/"+g.ProjectID+"/") {
		if role, err := c.role(have.RoleID); err == nil {
			out = append(out, roleView(role))
		}
	}
	return ok(object{"roles": out, "links": object{}})
}

// madeGrant returns the grant in a request's path if somebody has made it.
func (c *Cloud) madeGrant(r *request) (RoleGrant, error) {
	g, err := c.grantOf(r)
	if err != nil {
		return g, err
	}
	if _, made := state.Load(c.store, grants, g.key()); !made {
		return g, notFound("NotFound", "Could not find role assignment with role: %s, user or group: %s, project, "+
			"domain, or system: %s.", g.RoleID, g.UserID, g.ProjectID)
	}
	return g, nil
}

// withdrawRole removes a role from a user, and ends the tokens with that role.
func (c *Cloud) withdrawRole(_ *request, g RoleGrant) (reply, error) {
	return empty(http.StatusNoContent, c.store.Update(func(tx *state.Tx) error {
		return errors.Join(grants.Delete(tx, g.key()),
			revoke(tx, func(t Token) bool { return t.UserID == g.UserID && t.ProjectID == g.ProjectID }))
	}))
}
