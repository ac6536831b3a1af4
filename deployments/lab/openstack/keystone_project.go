package openstack

import (
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
	all := c.projects()
	i := slices.IndexFunc(all, func(p Project) bool {
		return n.ID == p.ID || n.ID == "" && n.Name == p.Name &&
			n.Domain.inDomain()
	})
	if i < 0 {
		return Project{}, false
	}
	return all[i], true
}

func (rt *router) keystoneProjects() {
	c := rt.c
	rt.on(keystone, "GET /v3/projects", c.listProjects)
	rt.on(keystone, "POST /v3/projects", c.createProject)
	rt.on(keystone, "GET /v3/projects/{id}", c.showProject)
	rt.on(keystone, "PATCH /v3/projects/{id}", c.updateProject)
	rt.on(keystone, "DELETE /v3/projects/{id}", c.deleteProject)
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

func (c *Cloud) showProject(r *request) (reply, error) {
	p, found := c.findProject(nameOrID{ID: r.PathValue("id")})
	if !found || c.rolesOf(r.token.UserID, p.ID) == nil && !r.token.Admin() {
		return reply{}, projectNotFound(r.PathValue("id"))
	}
	return ok(object{"project": projectView(p)})
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
		return p, badRequest("Invalid input for field 'name': None is not of type 'string'")
	}
	if other, taken := c.findProject(nameOrID{Name: p.Name}); taken && other.ID != p.ID {
		return p, conflict("Conflict", "Conflict occurred attempting to store project - it is not permitted to have two "+
			"projects with the same name in the same domain : %s.", p.Name)
	}
	return p, state.Save(c.store, projectTable, p.ID, p)
}

func (c *Cloud) createProject(r *request) (reply, error) {
	var q projectRequest
	err := mayIdentify(r, "create_project")
	if err == nil {
		err = r.decode("project", &q)
	}
	if err == nil {
		err = inDomain(q.Domain)
	}
	if err != nil {
		return reply{}, err
	}
	p, err := c.keep(Project{ID: hexID()}, q)
	if err != nil {
		return reply{}, err
	}
	return created(object{"project": projectView(p)})
}

// madeProject returns a project that administrators may change; the seed's projects cannot change.
func (c *Cloud) madeProject(id string) (Project, error) {
	if p, found := state.Load(c.store, projectTable, id); found {
		return p, nil
	}
	if _, seeded := c.findProject(nameOrID{ID: id}); seeded {
		return Project{}, fail(http.StatusForbidden, "Forbidden", "The lab does not change the projects admin and demo.")
	}
	return Project{}, projectNotFound(id)
}

func (c *Cloud) updateProject(r *request) (reply, error) {
	var q projectRequest
	err := mayIdentify(r, "update_project")
	if err == nil {
		err = r.decode("project", &q)
	}
	if err != nil {
		return reply{}, err
	}
	p, err := c.madeProject(r.PathValue("id"))
	if err == nil {
		p, err = c.keep(p, q)
	}
	if err == nil && p.Disabled {
		err = c.revokeAll(func(t Token) bool { return t.ProjectID == p.ID })
	}
	return reply{status: http.StatusOK, body: object{"project": projectView(p)}}, err
}

// deleteProject also ends the roles on the project and its tokens. As in OpenStack, the project's objects stay.
func (c *Cloud) deleteProject(r *request) (reply, error) {
	if err := mayIdentify(r, "delete_project"); err != nil {
		return reply{}, err
	}
	p, err := c.madeProject(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	err = c.store.Update(func(tx *state.Tx) error {
		for _, g := range grants.All(tx) {
			if g.ProjectID != p.ID {
				continue
			}
			if err := grants.Delete(tx, g.key()); err != nil {
				return err
			}
		}
		return projectTable.Delete(tx, p.ID)
	})
	if err == nil {
		err = c.revokeAll(func(t Token) bool { return t.ProjectID == p.ID })
	}
	return reply{status: http.StatusNoContent}, err
}
