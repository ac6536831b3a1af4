package openstack

import (
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
	for _, role := range c.allRoles() {
		if role.Name == name {
			return role.ID
		}
	}
	return ""
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
		for _, role := range c.allRoles() {
			if role.ID != g.RoleID {
				continue
			}
			out = appendMissing(out, role.Name)
			for _, other := range implied[role.Name] {
				out = appendMissing(out, other)
			}
		}
	}
	return out
}

func (rt *router) keystoneRoles() {
	c := rt.c
	rt.on(keystone, "GET /v3/roles", c.listRoles)
	rt.on(keystone, "POST /v3/roles", c.createRole)
	rt.on(keystone, "GET /v3/roles/{id}", c.showRole)
	rt.on(keystone, "DELETE /v3/roles/{id}", c.deleteRole)
	rt.on(keystone, "GET /v3/role_assignments", c.listAssignments)
	base := "/v3/projects/{project_id}/users/{user_id}/roles"
	rt.on(keystone, "GET "+base, c.listGrants)
	rt.on(keystone, "PUT "+base+"/{role_id}", c.grantRole)
	rt.on(keystone, "GET "+base+"/{role_id}", c.checkGrant) // HEAD too
	rt.on(keystone, "DELETE "+base+"/{role_id}", c.withdrawRole)
}

func roleView(role Role) object {
	return object{
		"id": role.ID, "name": role.Name, "domain_id": nil, "description": nil, "options": object{},
		"links": object{},
	}
}

func (c *Cloud) listRoles(r *request) (reply, error) {
	if err := mayIdentify(r, "list_roles"); err != nil {
		return reply{}, err
	}
	out := []object{}
	want := r.URL.Query().Get("name")
	for _, role := range c.allRoles() {
		if want == "" || want == role.Name {
			out = append(out, roleView(role))
		}
	}
	return ok(object{"roles": out, "links": object{}})
}

func roleNotFound(id string) error { return notFound("NotFound", "Could not find role: %s.", id) }

func (c *Cloud) role(id string) (Role, error) {
	for _, role := range c.allRoles() {
		if role.ID == id {
			return role, nil
		}
	}
	return Role{}, roleNotFound(id)
}

func (c *Cloud) createRole(r *request) (reply, error) {
	var q struct {
		Name string `json:"name"`
	}
	err := mayIdentify(r, "create_role")
	if err == nil {
		err = r.decode("role", &q)
	}
	switch {
	case err != nil:
	case q.Name == "":
		err = badRequest("Invalid input for field 'name': None is not of type 'string'")
	case c.roleID(q.Name) != "":
		err = conflict("Conflict", "Conflict occurred attempting to store role - Duplicate entry found with name %s.", q.Name)
	}
	if err != nil {
		return reply{}, err
	}
	role := Role{ID: hexID(), Name: q.Name}
	return reply{status: http.StatusCreated, body: object{"role": roleView(role)}},
		state.Save(c.store, roleTable, role.ID, role)
}

func (c *Cloud) showRole(r *request) (reply, error) {
	role, err := c.role(r.PathValue("id"))
	if err == nil {
		err = mayIdentify(r, "get_role")
	}
	return reply{status: http.StatusOK, body: object{"role": roleView(role)}}, err
}

func (c *Cloud) deleteRole(r *request) (reply, error) {
	if err := mayIdentify(r, "delete_role"); err != nil {
		return reply{}, err
	}
	role, err := c.role(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	if _, made := state.Load(c.store, roleTable, role.ID); !made {
		return reply{}, fail(http.StatusForbidden, "Forbidden",
			"The lab does not delete the roles that it has from the start.")
	}
	return reply{status: http.StatusNoContent}, c.store.Update(func(tx *state.Tx) error {
		for _, g := range grants.All(tx) {
			if g.RoleID != role.ID {
				continue
			}
			if err := grants.Delete(tx, g.key()); err != nil {
				return err
			}
		}
		return roleTable.Delete(tx, role.ID)
	})
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

func (c *Cloud) listGrants(r *request) (reply, error) {
	g, err := c.grantOf(r)
	if err != nil {
		return reply{}, err
	}
	out := []object{}
	for _, have := range state.LoadAll(c.store, grants, g.UserID+"/"+g.ProjectID+"/") {
		if role, err := c.role(have.RoleID); err == nil {
			out = append(out, roleView(role))
		}
	}
	return ok(object{"roles": out, "links": object{}})
}

func (c *Cloud) grantRole(r *request) (reply, error) {
	g, err := c.grantOf(r)
	if err == nil {
		err = state.Save(c.store, grants, g.key(), g)
	}
	return reply{status: http.StatusNoContent}, err
}

func (c *Cloud) checkGrant(r *request) (reply, error) {
	g, err := c.grantOf(r)
	if err == nil {
		if _, given := state.Load(c.store, grants, g.key()); !given {
			err = notFound("NotFound", "Could not find role assignment with role: %s, user or group: %s, project, domain, or "+
				"system: %s.", g.RoleID, g.UserID, g.ProjectID)
		}
	}
	return reply{status: http.StatusNoContent}, err
}

// withdrawRole removes a role from a user, and ends the tokens with that role.
func (c *Cloud) withdrawRole(r *request) (reply, error) {
	if _, err := c.checkGrant(r); err != nil {
		return reply{}, err
	}
	g, err := c.grantOf(r)
	if err == nil {
		err = state.Remove(c.store, grants, g.key())
	}
	if err == nil {
		err = c.revokeAll(func(t Token) bool { return t.UserID == g.UserID && t.ProjectID == g.ProjectID })
	}
	return reply{status: http.StatusNoContent}, err
}
