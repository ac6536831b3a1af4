package openstack

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Flavor is a Nova flavor.
type Flavor struct {
	ID, Name         string
	VCPUs, RAM, Disk int
	Ephemeral, Swap  int
	RxTxFactor       float64
	Description      string
	ExtraSpecs       map[string]string
	// Private hides the flavor from projects that are not in Projects.
	Private  bool
	Projects []string
}

// flavorTable are the flavors that administrators and stacks have made.
const flavorTable = state.Table[Flavor]("nova_flavors")

// oldFlavors are the traditional default flavors of OpenStack.
func oldFlavors() []Flavor {
	return []Flavor{
		{ID: "1", Name: "m1.tiny", VCPUs: 1, RAM: 512, Disk: 1},
		{ID: "2", Name: "m1.small", VCPUs: 1, RAM: 2048, Disk: 20},
		{ID: "3", Name: "m1.medium", VCPUs: 2, RAM: 4096, Disk: 40},
		{ID: "4", Name: "m1.large", VCPUs: 4, RAM: 8192, Disk: 80},
		{ID: "5", Name: "m1.xlarge", VCPUs: 8, RAM: 16384, Disk: 160},
	}
}

// flavors returns all flavors.
func (c *Cloud) flavors() []Flavor {
	return append(oldFlavors(), state.LoadAll(c.store, flavorTable, "")...)
}

// open reports whether a project may use the flavor.
func (f Flavor) open(project string) bool { return !f.Private || slices.Contains(f.Projects, project) }

// findFlavor finds a flavor that a project may use.
func (c *Cloud) findFlavor(project, nameOrID string) (Flavor, bool) {
	return first(c.flavors(), func(f Flavor) bool { return (f.ID == nameOrID || f.Name == nameOrID) && f.open(project) })
}

func (rt *router) novaFlavors() {
	c := rt.c
	const all, item = "/v2.1/flavors", "/v2.1/flavors/{id}"
	const specs, spec = item + "/os-extra_specs", item + "/os-extra_specs/{key}"
	admin := func(rule string, h handler) handler {
		return restricted(mayManage, "os_compute_api:os-flavor-"+rule, h)
	}
	detail := func(f Flavor) object { return c.flavorView(f, true) }
	rt.on(nova, "GET "+all, func(r *request) (reply, error) { return c.listFlavors(r, false) })
	rt.on(nova, "GET "+all+"/detail", func(r *request) (reply, error) { return c.listFlavors(r, true) })
	rt.on(nova, "POST "+all, admin("manage:create", given("flavor", func(_ *request, q flavorRequest) (reply, error) {
		f, err := c.newFlavor(q)
		return one(http.StatusOK, "flavor", detail(f), err)
	})))
	rt.on(nova, "GET "+item, show("flavor", c.flavor, detail))
	rt.on(nova, "PUT "+item, admin("manage:update", given("flavor", func(r *request, q flavorRequest) (reply, error) {
		f, err := c.changeFlavor(r.PathValue("id"), func(f *Flavor) error { f.Description = q.Description; return nil })
		return one(http.StatusOK, "flavor", detail(f), err)
	})))
	rt.on(nova, "DELETE "+item, admin("manage:delete", c.deleteFlavor))
	rt.on(nova, "POST "+item+"/action", admin("access:add_tenant_access", given("", c.flavorAction)))
	rt.on(nova, "GET "+item+"/os-flavor-access", with(c.flavor, flavorAccess))
	rt.on(nova, "GET "+specs, with(c.flavor, func(_ *request, f Flavor) (reply, error) {
		return ok(object{"extra_specs": mapped(f.ExtraSpecs)})
	}))
	rt.on(nova, "POST "+specs, admin("extra-specs:create", given("extra_specs", c.addExtraSpecs)))
	rt.on(nova, "GET "+spec, with(c.flavor, extraSpec))
	rt.on(nova, "PUT "+spec, admin("extra-specs:update", given("", c.setExtraSpec)))
	rt.on(nova, "DELETE "+spec, admin("extra-specs:delete", c.dropExtraSpec))
}

func (c *Cloud) flavorView(f Flavor, detail bool) object {
	view := object{
		"id": f.ID, "name": f.Name,
		"links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/compute/v2.1/flavors/" + f.ID}},
	}
	if detail {
		maps.Copy(view, object{
			"vcpus": f.VCPUs, "ram": f.RAM, "disk": f.Disk, "swap": "", "rxtx_factor": cmp.Or(f.RxTxFactor, 1.0),
			"OS-FLV-EXT-DATA:ephemeral": f.Ephemeral, "OS-FLV-DISABLED:disabled": false,
			"os-flavor-access:is_public": !f.Private, "description": orNil(f.Description), "extra_specs": mapped(f.ExtraSpecs),
		})
		if f.Swap > 0 {
			view["swap"] = f.Swap
		}
	}
	return view
}

func (c *Cloud) listFlavors(r *request, detail bool) (reply, error) {
	out := []object{}
	q := r.URL.Query()
	for _, f := range c.flavors() {
		wanted := f.open(r.project())
		if public := q.Get("is_public"); r.token.Admin() && public != "" { // None means all
			only, err := strconv.ParseBool(public)
			wanted = err != nil || only != f.Private
		}
		least := func(key string, have int) bool { n, err := strconv.Atoi(q.Get(key)); return err != nil || have >= n }
		if wanted && q.Get("marker") == "" && least("minRam", f.RAM) && least("minDisk", f.Disk) { // the lab has one page
			out = append(out, c.flavorView(f, detail))
		}
	}
	return ok(object{"flavors": out})
}

// flavor returns the flavor of a request's path; administrators also see private flavors of other projects.
func (c *Cloud) flavor(r *request) (Flavor, error) {
	id := r.PathValue("id")
	f, found := first(c.flavors(), func(f Flavor) bool { return f.ID == id && (f.open(r.project()) || r.token.Admin()) })
	if !found {
		return f, flavorNotFound(id)
	}
	return f, nil
}

func flavorNotFound(id string) error {
	return notFound("NotFound", "Flavor %s could not be found.", id)
}

// flavorRequest is the body of POST /flavors.
type flavorRequest struct {
	ID          string   `json:"id"` // "" or "auto": Nova chooses
	Name        string   `json:"name"`
	VCPUs       any      `json:"vcpus"`
	RAM         any      `json:"ram"`
	Disk        any      `json:"disk"`
	Ephemeral   any      `json:"OS-FLV-EXT-DATA:ephemeral"`
	Swap        any      `json:"swap"`
	RxTxFactor  float64  `json:"rxtx_factor"`
	Public      *bool    `json:"os-flavor-access:is_public"`
	Description string   `json:"description"`
	Projects    []string `json:"-"`
}

// mayManage refuses callers who are not administrators.
func mayManage(r *request, rule string) error {
	if r.token.Admin() {
		return nil
	}
	return fail(http.StatusForbidden, "Forbidden", "Policy doesn't allow %s to be performed.", rule)
}

// newFlavor makes a flavor; names and ids are unique in the cloud.
func (c *Cloud) newFlavor(q flavorRequest) (Flavor, error) {
	f := Flavor{
		ID: q.ID, Name: q.Name, VCPUs: intOf(q.VCPUs, 0), RAM: intOf(q.RAM, 0), Disk: intOf(q.Disk, 0),
		Ephemeral: intOf(q.Ephemeral, 0), Swap: intOf(q.Swap, 0),
		RxTxFactor: q.RxTxFactor, Private: q.Public != nil && !*q.Public, Description: q.Description, Projects: q.Projects,
	}
	if f.ID == "" || f.ID == "auto" {
		f.ID = uuid.NewString()
	}
	switch {
	case f.Name == "":
		return f, badRequest("Invalid input for field/attribute name. Value: . '' is too short")
	case f.VCPUs < 1:
		return f, badRequest("Invalid input for field/attribute vcpus. Value: %v. %v is less than the minimum of 1", q.VCPUs,
			f.VCPUs)
	case f.RAM < 1:
		return f, badRequest("Invalid input for field/attribute ram. Value: %v. %v is less than the minimum of 1", q.RAM,
			f.RAM)
	case f.Disk < 0:
		return f, badRequest("Invalid input for field/attribute disk. Value: %v. %v is less than the minimum of 0", q.Disk,
			f.Disk)
	}
	return f, c.store.Update(func(tx *state.Tx) error {
		for _, other := range append(oldFlavors(), flavorTable.All(tx)...) {
			switch {
			case other.ID == f.ID:
				return conflict("Conflict", "Flavor with ID %s already exists.", f.ID)
			case other.Name == f.Name:
				return conflict("Conflict", "Flavor with name %s already exists.", f.Name)
			}
		}
		return flavorTable.Put(tx, f.ID, f)
	})
}

// changeFlavor changes a flavor that was made; the default flavors cannot change.
func (c *Cloud) changeFlavor(id string, change func(*Flavor) error) (Flavor, error) {
	if slices.ContainsFunc(oldFlavors(), func(f Flavor) bool { return f.ID == id }) {
		return Flavor{}, fail(http.StatusForbidden, "Forbidden",
			"The lab does not change the flavors that it has from the start.")
	}
	f, found, err := state.Change(c.store, flavorTable, id, change)
	if err == nil && !found {
		err = flavorNotFound(id)
	}
	return f, err
}

// deleteFlavor deletes a flavor; existing servers keep its values.
func (c *Cloud) deleteFlavor(r *request) (reply, error) {
	if _, err := c.changeFlavor(r.PathValue("id"), func(*Flavor) error { return nil }); err != nil {
		return reply{}, err
	}
	return empty(http.StatusAccepted, state.Remove(c.store, flavorTable, r.PathValue("id")))
}

func flavorAccess(r *request, f Flavor) (reply, error) {
	if err := mayManage(r, "os_compute_api:os-flavor-access"); err != nil {
		return reply{}, err
	}
	if !f.Private {
		return reply{}, notFound("NotFound", "Access list not available for public flavors.")
	}
	return ok(object{"flavor_access": accessView(f)})
}

func accessView(f Flavor) []object {
	out := []object{}
	for _, project := range f.Projects {
		out = append(out, object{"flavor_id": f.ID, "tenant_id": project})
	}
	return out
}

type projectAccess struct {
	Tenant string `json:"tenant"`
}

func (c *Cloud) flavorAction(r *request, body map[string]projectAccess) (reply, error) {
	f, err := c.changeFlavor(r.PathValue("id"), func(f *Flavor) error {
		add, adds := body["addTenantAccess"]
		remove, removes := body["removeTenantAccess"]
		switch {
		case adds && slices.Contains(f.Projects, add.Tenant):
			return conflict("Conflict", "Flavor access already exists for flavor %s and project %s combination.", f.ID,
				add.Tenant)
		case adds:
			f.Projects = append(f.Projects, add.Tenant)
		case removes && !slices.Contains(f.Projects, remove.Tenant):
			return notFound("NotFound", "Flavor access not found for %s / %s combination.", f.ID, remove.Tenant)
		case removes:
			f.Projects = slices.DeleteFunc(f.Projects, func(p string) bool { return p == remove.Tenant })
		default:
			return badRequest("There is no such action: %v", slices.Sorted(maps.Keys(body)))
		}
		return nil
	})
	return one(http.StatusOK, "flavor_access", accessView(f), err)
}

func (c *Cloud) addExtraSpecs(r *request, specs map[string]any) (reply, error) {
	f, err := c.changeFlavor(r.PathValue("id"),
		func(f *Flavor) error { f.ExtraSpecs = merge(f.ExtraSpecs, specs); return nil })
	return one(http.StatusOK, "extra_specs", mapped(f.ExtraSpecs), err)
}

// merge adds values to a map of texts.
func merge(have map[string]string, given map[string]any) map[string]string {
	out := maps.Clone(mapped(have))
	for key, v := range given {
		out[key] = fmt.Sprint(v)
	}
	return out
}

func extraSpec(r *request, f Flavor) (reply, error) {
	v, known := f.ExtraSpecs[r.PathValue("key")]
	if !known {
		return reply{}, notFound("NotFound", "Flavor %s has no extra specs with key %s.", f.ID, r.PathValue("key"))
	}
	return ok(object{r.PathValue("key"): v})
}

func (c *Cloud) setExtraSpec(r *request, spec map[string]any) (reply, error) {
	key := r.PathValue("key")
	if _, there := spec[key]; !there || len(spec) != 1 {
		return reply{}, badRequest("Request body and URI mismatch")
	}
	_, err := c.changeFlavor(r.PathValue("id"),
		func(f *Flavor) error { f.ExtraSpecs = merge(f.ExtraSpecs, spec); return nil })
	return reply{status: http.StatusOK, body: spec}, err
}

func (c *Cloud) dropExtraSpec(r *request) (reply, error) {
	key := r.PathValue("key")
	_, err := c.changeFlavor(r.PathValue("id"), func(f *Flavor) error {
		if _, known := f.ExtraSpecs[key]; !known {
			return notFound("NotFound", "Flavor %s has no extra specs with key %s.", f.ID, key)
		}
		delete(f.ExtraSpecs, key)
		return nil
	})
	return empty(http.StatusOK, err)
}
