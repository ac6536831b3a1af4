package openstack

import (
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// VolumeType is a volume type. In the lab it is only a name: all volumes are alike.
type VolumeType struct {
	ID, Name, Description string
	ExtraSpecs            map[string]string
	// Private hides the type from projects that are not in Projects.
	Private  bool
	Projects []string
}

// typeTable are the volume types that administrators and stacks have made.
const typeTable = state.Table[VolumeType]("cinder_volume_types")

// defaultVolumeType is the type of volumes whose request names none.
func defaultVolumeType() VolumeType {
	return VolumeType{ID: "7b2c8b1e-1d5a-4c1e-9d7e-6c5f00000001", Name: "lab"}
}

func (c *Cloud) volumeTypes() []VolumeType {
	return append([]VolumeType{defaultVolumeType()}, state.LoadAll(c.store, typeTable, "")...)
}

func (t VolumeType) open(project string) bool {
	return !t.Private || slices.Contains(t.Projects, project)
}

// findVolumeType finds a volume type that a project may use.
func (c *Cloud) findVolumeType(project, nameOrID string) (VolumeType, bool) {
	for _, t := range c.volumeTypes() {
		if (t.ID == nameOrID || t.Name == nameOrID) && t.open(project) {
			return t, true
		}
	}
	return VolumeType{}, false
}

func (rt *router) cinderTypes() {
	c := rt.c
	rt.on(cinder, "GET /v3/{project}/types", c.listVolumeTypes)
	rt.on(cinder, "POST /v3/{project}/types", c.createVolumeType)
	rt.on(cinder, "GET /v3/{project}/types/default", func(*request) (reply, error) {
		return ok(object{"volume_type": volumeTypeView(defaultVolumeType())})
	})
	rt.on(cinder, "GET /v3/{project}/types/{id}", c.showVolumeType)
	rt.on(cinder, "PUT /v3/{project}/types/{id}", c.updateVolumeType)
	rt.on(cinder, "DELETE /v3/{project}/types/{id}", c.deleteVolumeType)
	rt.on(cinder, "GET /v3/{project}/types/{id}/extra_specs", c.volumeTypeSpecs)
	rt.on(cinder, "POST /v3/{project}/types/{id}/extra_specs", c.volumeTypeSpecs)
	rt.on(cinder, "DELETE /v3/{project}/types/{id}/extra_specs/{key}", c.dropVolumeTypeSpec)
}

func volumeTypeView(t VolumeType) object {
	view := object{
		"id": t.ID, "name": t.Name, "description": nil, "is_public": !t.Private,
		"os-volume-type-access:is_public": !t.Private,
		"extra_specs":                     t.specs(), "qos_specs_id": nil,
	}
	if t.Description != "" {
		view["description"] = t.Description
	}
	return view
}

func (t VolumeType) specs() map[string]string {
	if t.ExtraSpecs == nil {
		return map[string]string{}
	}
	return t.ExtraSpecs
}

func (c *Cloud) listVolumeTypes(r *request) (reply, error) {
	out := []object{}
	for _, t := range c.volumeTypes() {
		if t.open(r.project()) || r.token.Admin() {
			out = append(out, volumeTypeView(t))
		}
	}
	return ok(object{"volume_types": out})
}

func volumeTypeNotFound(id string) error {
	return notFound("NotFound", "Volume type %s could not be found.", id)
}

func (c *Cloud) volumeType(r *request) (VolumeType, error) {
	for _, t := range c.volumeTypes() {
		if t.ID == r.PathValue("id") && (t.open(r.project()) || r.token.Admin()) {
			return t, nil
		}
	}
	return VolumeType{}, volumeTypeNotFound(r.PathValue("id"))
}

func (c *Cloud) showVolumeType(r *request) (reply, error) {
	t, err := c.volumeType(r)
	if err != nil {
		return reply{}, err
	}
	return ok(object{"volume_type": volumeTypeView(t)})
}

type volumeTypeRequest struct {
	Name        *string           `json:"name"`
	Description *string           `json:"description"`
	Public      *bool             `json:"os-volume-type-access:is_public"`
	IsPublic    *bool             `json:"is_public"` // in updates
	ExtraSpecs  map[string]string `json:"extra_specs"`
	Projects    []string          `json:"-"`
}

func (q volumeTypeRequest) apply(t *VolumeType) {
	set(&t.Name, q.Name)
	set(&t.Description, q.Description)
	for _, public := range []*bool{q.Public, q.IsPublic} {
		if public != nil {
			t.Private = !*public
		}
	}
	if q.ExtraSpecs != nil {
		t.ExtraSpecs = q.ExtraSpecs
	}
	if q.Projects != nil {
		t.Projects = q.Projects
	}
}

func (c *Cloud) createVolumeType(r *request) (reply, error) {
	if err := mayManage(r, "volume_extension:type_create"); err != nil {
		return reply{}, err
	}
	var q volumeTypeRequest
	if err := r.decode("volume_type", &q); err != nil {
		return reply{}, err
	}
	t, err := c.newVolumeType(uuid.NewString(), q)
	if err != nil {
		return reply{}, err
	}
	return ok(object{"volume_type": volumeTypeView(t)})
}

// newVolumeType makes a volume type, or finds the type that has the id already.
func (c *Cloud) newVolumeType(id string, q volumeTypeRequest) (VolumeType, error) {
	t := VolumeType{ID: id}
	q.apply(&t)
	if t.Name == "" {
		return t, badRequest("Volume type name can not be empty.")
	}
	return t, c.store.Update(func(tx *state.Tx) error {
		if have, found := typeTable.Get(tx, id); found {
			t = have
			return nil
		}
		for _, other := range append([]VolumeType{defaultVolumeType()}, typeTable.All(tx)...) {
			if other.Name == t.Name {
				return conflict("Conflict", "Volume Type %s already exists.", t.Name)
			}
		}
		return typeTable.Put(tx, id, t)
	})
}

// changeVolumeType changes a volume type that was made; the default type cannot change.
func (c *Cloud) changeVolumeType(id string, change func(*VolumeType) error) (VolumeType, error) {
	if id == defaultVolumeType().ID {
		return VolumeType{}, fail(http.StatusForbidden, "Forbidden",
			"The lab does not change the volume type that it has from the start.")
	}
	t, found, err := state.Change(c.store, typeTable, id, change)
	if err == nil && !found {
		err = volumeTypeNotFound(id)
	}
	return t, err
}

func (c *Cloud) updateVolumeType(r *request) (reply, error) {
	if err := mayManage(r, "volume_extension:type_update"); err != nil {
		return reply{}, err
	}
	var q volumeTypeRequest
	if err := r.decode("volume_type", &q); err != nil {
		return reply{}, err
	}
	t, err := c.changeVolumeType(r.PathValue("id"), func(t *VolumeType) error { q.apply(t); return nil })
	if err != nil {
		return reply{}, err
	}
	return ok(object{"volume_type": volumeTypeView(t)})
}

func (c *Cloud) deleteVolumeType(r *request) (reply, error) {
	if err := mayManage(r, "volume_extension:type_delete"); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusAccepted}, c.dropVolumeType(r.PathValue("id"))
}

// dropVolumeType deletes a volume type that no volume uses.
func (c *Cloud) dropVolumeType(id string) error {
	if _, err := c.changeVolumeType(id, func(*VolumeType) error { return nil }); err != nil {
		return err
	}
	return c.store.Update(func(tx *state.Tx) error {
		t, _ := typeTable.Get(tx, id)
		for _, v := range volumes.All(tx) {
			if v.Type == t.Name {
				return badRequest("Target volume type is still in use.")
			}
		}
		return typeTable.Delete(tx, id)
	})
}

func (c *Cloud) volumeTypeSpecs(r *request) (reply, error) {
	t, err := c.volumeType(r)
	if err != nil {
		return reply{}, err
	}
	if r.Method == http.MethodPost {
		var specs map[string]any
		if err = mayManage(r, "volume_extension:types_extra_specs:create"); err == nil {
			err = r.decode("extra_specs", &specs)
		}
		if err == nil {
			t, err = c.changeVolumeType(t.ID,
				func(t *VolumeType) error { t.ExtraSpecs = merge(t.ExtraSpecs, specs); return nil })
		}
	}
	if err != nil {
		return reply{}, err
	}
	return ok(object{"extra_specs": t.specs()})
}

func (c *Cloud) dropVolumeTypeSpec(r *request) (reply, error) {
	if err := mayManage(r, "volume_extension:types_extra_specs:delete"); err != nil {
		return reply{}, err
	}
	key := r.PathValue("key")
	_, err := c.changeVolumeType(r.PathValue("id"), func(t *VolumeType) error {
		if _, known := t.ExtraSpecs[key]; !known {
			return notFound("NotFound", "Volume Type %s has no extra specs with key %s.", t.ID, key)
		}
		t.ExtraSpecs = maps.Clone(t.ExtraSpecs)
		delete(t.ExtraSpecs, key)
		return nil
	})
	return reply{status: http.StatusAccepted}, err
}
