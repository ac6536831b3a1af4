package openstack

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Project is a project that administrators have made; the seed has the first two, admin and demo.
type Project struct {
	ID, Name, Description string
	Disabled              bool
}

// projectTable are the projects other than the seed's.
const projectTable = state.Table[Project]("keystone_projects")

func (c *Cloud) projects() []Project {
	var out []Project
	for _, name := range slices.Sorted(maps.Keys(c.seed.Projects)) {
		out = append(out, Project{ID: c.seed.Projects[name], Name: name})
	}
	return append(out, state.LoadAll(c.store, projectTable, "")...)
}

// findProject finds a project by id, or by name in the only domain.
func (c *Cloud) findProject(n nameOrID) (Project, bool) {
	return first(c.projects(), func(p Project) bool { return n.names(p.ID, p.Name) })
}

func (rt *router) keystoneProjects() {
	c := rt.c
	admin := func(action string, h handler) handler { return restricted(mayIdentify, action, h) }
	rt.on(keystone, "GET /v3/projects", c.listProjects)
	rt.on(keystone, "POST /v3/projects", admin("create_project", given("project", c.createProject)))
	rt.on(keystone, "GET /v3/projects/{id}", show("project", c.project, projectView))
	rt.on(keystone, "PATCH /v3/projects/{id}", admin("update_project", withGiven(c.madeProject, "project", c.updateProject)))
	rt.on(keystone, "DELETE /v3/projects/{id}", admin("delete_project", with(c.madeProject, c.deleteProject)))
	rt.on(keystone, "GET /v3/auth/projects", c.listProjects)
}

func projectView(p Project) object {
	return object{
		"id": p.ID, "name": p.Name, "domain_id": domainID, "parent_id": domainID, "enabled": !p.Disabled, "is_domain": false,
		"description": p.Description, "tags": []string{}, "options": object{}, "links": object{},
	}
}

// projectsOf returns the views of the projects on which a user has a role.
func (c *Cloud) projectsOf(user, name string) []object {
	out := []object{}
	for _, p := range c.projects() {
		if c.rolesOf(user, p.ID) != nil && (name == "" || name == p.Name) {
			out = append(out, projectView(p))
		}
	}
	return out
}

// listProjects lists the projects on which the caller has a role.
func (c *Cloud) listProjects(r *request) (reply, error) {
	return ok(object{"projects": c.projectsOf(r.token.UserID, r.URL.Query().Get("name")), "links": object{}})
}

// listProjectsOf lists a user's projects; only administrators may list those of other users.
func (c *Cloud) listProjectsOf(r *request) (reply, error) {
	if r.PathValue("id") != r.token.UserID {
		if err := mayIdentify(r, "list_user_projects"); err != nil {
			return reply{}, err
		}
	}
	return ok(object{"projects": c.projectsOf(r.PathValue("id"), ""), "links": object{}})
}

func projectNotFound(id string) error { return notFound("NotFound", "Could not find project: %s.", id) }

func (c *Cloud) project(r *request) (Project, error) {
	p, found := c.findProject(nameOrID{ID: r.PathValue("id")})
	if !found || c.rolesOf(r.token.UserID, p.ID) == nil && !r.token.Admin() {
		return p, projectNotFound(r.PathValue("id"))
	}
	return p, nil
}

type projectRequest struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	Enabled     *bool   `json:"enabled"`
	Domain      *string `json:"domain_id"`
}

// keep stores a project, and refuses a name that another project has.
func (c *Cloud) keep(p Project, q projectRequest) (Project, error) {
	set(&p.Name, q.Name)
	set(&p.Description, q.Description)
	if q.Enabled != nil {
		p.Disabled = !*q.Enabled
	}
	if p.Name == "" {
		return p, errNoName
	}
	if other, taken := c.findProject(nameOrID{Name: p.Name}); taken && other.ID != p.ID {
		return p, conflict("Conflict", "Conflict occurred attempting to store project - it is not permitted to have two "+
			"projects with the same name in the same domain : %s.", p.Name)
	}
	return p, state.Save(c.store, projectTable, p.ID, p)
}

func (c *Cloud) createProject(_ *request, q projectRequest) (reply, error) {
	if err := inDomain(q.Domain); err != nil {
		return reply{}, err
	}
	p, err := c.keep(Project{ID: hexID()}, q)
	return one(http.StatusCreated, "project", projectView(p), err)
}

// madeProject returns a project that administrators may change; the seed's projects cannot change.
func (c *Cloud) madeProject(r *request) (Project, error) {
	id := r.PathValue("id")
	if p, found := state.Load(c.store, projectTable, id); found {
		return p, nil
	}
	if _, seeded := c.findProject(nameOrID{ID: id}); seeded {
		return Project{}, fail(http.StatusForbidden, "Forbidden", "The lab does not change the projects admin and demo.")
	}
	return Project{}, projectNotFound(id)
}

func (c *Cloud) updateProject(_ *request, p Project, q projectRequest) (reply, error) {
	p, err := c.keep(p, q)
	if err == nil && p.Disabled {
		err = c.revokeAll(func(t Token) bool { return t.ProjectID == p.ID })
	}
	return one(http.StatusOK, "project", projectView(p), err)
}

// deleteProject also ends the roles on the project and its tokens. As in OpenStack, the project's objects stay.
func (c *Cloud) deleteProject(_ *request, p Project) (reply, error) {
	return empty(http.StatusNoContent, c.store.Update(func(tx *state.Tx) error {
		return errors.Join(
			deleteIf(tx, grants, func(g RoleGrant) (string, bool) { return g.key(), g.ProjectID == p.ID }),
			projectTable.Delete(tx, p.ID),
			revoke(tx, func(t Token) bool { return t.ProjectID == p.ID }),
		)
	}))
}
