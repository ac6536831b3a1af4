package openstack

import (
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
	return first(c.volumeTypes(), func(t VolumeType) bool {
		return (t.ID == nameOrID || t.Name == nameOrID) && t.open(project)
	})
}

func (rt *router) cinderTypes() {
	c := rt.c
	const all, item = "/v3/{project}/types", "/v3/{project}/types/{id}"
	admin := func(rule string, h handler) handler { return restricted(mayManage, "volume_extension:"+rule, h) }
	rt.on(cinder, "GET "+all, c.listVolumeTypes)
	rt.on(cinder, "POST "+all, admin("type_create", given("volume_type", func(_ *request, q volumeTypeRequest) (reply, error) {
		t, err := c.newVolumeType(uuid.NewString(), q)
		return one(http.StatusOK, "volume_type", volumeTypeView(t), err)
	})))
	rt.on(cinder, "GET "+all+"/default", func(*request) (reply, error) {
		return ok(object{"volume_type": volumeTypeView(defaultVolumeType())})
	})
	rt.on(cinder, "GET "+item, show("volume_type", c.volumeType, volumeTypeView))
	rt.on(cinder, "PUT "+item, admin("type_update", given("volume_type", func(r *request, q volumeTypeRequest) (reply, error) {
		t, err := c.changeVolumeType(r.PathValue("id"), func(t *VolumeType) error { q.apply(t); return nil })
		return one(http.StatusOK, "volume_type", volumeTypeView(t), err)
	})))
	rt.on(cinder, "DELETE "+item, admin("type_delete", func(r *request) (reply, error) {
		return empty(http.StatusAccepted, c.dropVolumeType(r.PathValue("id")))
	}))
	specs := item + "/extra_specs"
	rt.on(cinder, "GET "+specs, with(c.volumeType, func(_ *request, t VolumeType) (reply, error) {
		return ok(object{"extra_specs": mapped(t.ExtraSpecs)})
	}))
	rt.on(cinder, "POST "+specs, admin("types_extra_specs:create", given("extra_specs", c.addTypeSpecs)))
	rt.on(cinder, "DELETE "+specs+"/{key}", admin("types_extra_specs:delete", c.dropTypeSpec))
}

func volumeTypeView(t VolumeType) object {
	return object{
		"id": t.ID, "name": t.Name, "description": orNil(t.Description), "is_public": !t.Private,
		"os-volume-type-access:is_public": !t.Private, "extra_specs": mapped(t.ExtraSpecs), "qos_specs_id": nil,
	}
}

// seenBy reports whether the caller sees the type.
func (t VolumeType) seenBy(r *request) bool { return t.open(r.project()) || r.token.Admin() }

func (c *Cloud) listVolumeTypes(r *request) (reply, error) {
	shown := func(t VolumeType) bool { return t.seenBy(r) }
	return ok(object{"volume_types": views(c.volumeTypes(), shown, volumeTypeView)})
}

func volumeTypeNotFound(id string) error {
	return notFound("NotFound", "Volume type %s could not be found.", id)
}

func (c *Cloud) volumeType(r *request) (VolumeType, error) {
	id := r.PathValue("id")
	t, found := first(c.volumeTypes(), func(t VolumeType) bool { return t.ID == id && t.seenBy(r) })
	if !found {
		return t, volumeTypeNotFound(id)
	}
	return t, nil
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

func (c *Cloud) addTypeSpecs(r *request, specs map[string]any) (reply, error) {
	t, err := c.changeVolumeType(r.PathValue("id"),
		func(t *VolumeType) error { t.ExtraSpecs = merge(t.ExtraSpecs, specs); return nil })
	return one(http.StatusOK, "extra_specs", mapped(t.ExtraSpecs), err)
}

func (c *Cloud) dropTypeSpec(r *request) (reply, error) {
	key := r.PathValue("key")
	_, err := c.changeVolumeType(r.PathValue("id"), func(t *VolumeType) error {
		if _, known := t.ExtraSpecs[key]; !known {
			return notFound("NotFound", "Volume Type %s has no extra specs with key %s.", t.ID, key)
		}
		delete(t.ExtraSpecs, key)
		return nil
	})
	return empty(http.StatusAccepted, err)
}
