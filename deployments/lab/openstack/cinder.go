package openstack

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Volume is a Cinder volume.
type Volume struct {
	ID, Name, Description, ProjectID, UserID string
	Size                                     int
	Status, Type, AZ                         string
	Metadata                                 map[string]string
	ServerID, Device, Host                   string // set while attached
	ImageID, ImageName                       string // set for a bootable volume
	AttachedAt, Created, Updated             time.Time
}

const volumes = state.Table[Volume]("cinder_volumes")

func (rt *router) cinder() {
	c := rt.c
	rt.roots(cinder, func(*request) (reply, error) {
		return reply{status: http.StatusMultipleChoices, body: object{"versions": []object{c.cinderVersion()}}}, nil
	}, "", "/{$}")
	rt.roots(cinder, func(*request) (reply, error) {
		return ok(object{"versions": []object{c.cinderVersion()}})
	}, "/v3", "/v3/{$}")
	const volume = "/v3/{project}/volumes/{id}"
	rt.on(cinder, "POST /v3/{project}/volumes", given("volume", c.createVolumeCall))
	rt.on(cinder, "GET /v3/{project}/volumes", func(r *request) (reply, error) { return c.listVolumes(r, false) })
	rt.on(cinder, "GET /v3/{project}/volumes/detail", func(r *request) (reply, error) { return c.listVolumes(r, true) })
	find := func(r *request) (Volume, error) { return c.volume(r, r.PathValue("id")) }
	rt.on(cinder, "GET "+volume, show("volume", find, volumeView))
	rt.on(cinder, "PUT "+volume, withGiven(find, "volume", c.updateVolume))
	rt.on(cinder, "DELETE "+volume, with(find, c.deleteVolumeCall))
	rt.on(cinder, "POST "+volume+"/action", withGiven(find, "", c.volumeAction))
	rt.cinderTypes()
	rt.on(cinder, "GET /v3/{project}/limits", c.cinderLimits)
	rt.on(cinder, "GET /v3/{project}/os-availability-zone", func(*request) (reply, error) {
		return ok(object{"availabilityZoneInfo": []object{{"zoneName": zone, "zoneState": object{"available": true}}}})
	})
	rt.quotaSets(cinder, "/v3/{project}")
}

func (c *Cloud) cinderVersion() object {
	return object{
		"id": "v3.0", "status": "CURRENT", "version": "3.70", "min_version": "3.0", "updated": "2023-08-31T00:00:00Z",
		"media-types": []object{}, "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/volume/v3/"}},
	}
}

func volumeView(v Volume) object {
	attached := []object{}
	if v.ServerID != "" {
		attached = append(attached, object{
			"id": v.ID, "volume_id": v.ID, "server_id": v.ServerID, "device": v.Device, "host_name": v.Host,
			"attachment_id": v.ID, "attached_at": v.AttachedAt.Format("2006-01-02T15:04:05.000000"),
		})
	}
	view := object{
		"id": v.ID, "name": v.Name, "description": v.Description, "size": v.Size, "status": v.Status,
		"availability_zone": v.AZ, "volume_type": v.Type,
		"created_at":  v.Created.Format("2006-01-02T15:04:05.000000"),
		"updated_at":  v.Updated.Format("2006-01-02T15:04:05.000000"),
		"attachments": attached, "metadata": v.Metadata, "bootable": "false", "encrypted": false, "multiattach": false,
		"snapshot_id":  nil,
		"source_volid": nil, "consistencygroup_id": nil, "replication_status": nil, "user_id": v.UserID,
		"os-vol-tenant-attr:tenant_id": v.ProjectID,
		"links":                        []object{},
	}
	if v.ImageID != "" {
		view["bootable"] = "true"
		view["volume_image_metadata"] = object{"image_id": v.ImageID, "image_name": v.ImageName}
	}
	return view
}

type volumeRequest struct {
	Name        *string           `json:"name"`
	Description *string           `json:"description"`
	Size        any               `json:"size"`
	AZ          string            `json:"availability_zone"`
	Type        string            `json:"volume_type"`
	Metadata    map[string]string `json:"metadata"`
	Image       string            `json:"imageRef"`
	Snapshot    string            `json:"snapshot_id"`
	Source      string            `json:"source_volid"`
}

func (c *Cloud) createVolumeCall(r *request, q volumeRequest) (reply, error) {
	v, err := c.newVolume(uuid.NewString(), r.project(), r.token.UserID, q)
	return one(http.StatusAccepted, "volume", volumeView(v), err)
}

// newVolume makes a volume, or finds the volume that has the id already. The hypervisor allocates its blocks when it is
// first attached.
func (c *Cloud) newVolume(id, project, user string, q volumeRequest) (Volume, error) {
	v := Volume{
		ID: id, ProjectID: project, UserID: user, Size: intOf(q.Size, 0), Status: "available",
		Type: defaultVolumeType().Name, AZ: zone, Metadata: q.Metadata, Created: c.now(), Updated: c.now(),
	}
	set(&v.Name, q.Name)
	set(&v.Description, q.Description)
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	switch {
	case v.Size <= 0:
		return v, badRequest("Invalid input received: Volume size '%v' must be an integer and greater than 0", q.Size)
	case q.Snapshot != "" || q.Source != "":
		return v, badRequest("The lab makes only empty volumes and volumes of an image.")
	case q.AZ != "" && q.AZ != zone:
		return v, badRequest("Invalid input received: Availability zone '%s' is invalid.", q.AZ)
	}
	if q.Type != "" {
		t, found := c.findVolumeType(project, q.Type)
		if !found {
			return v, notFound("NotFound", "Volume type with name %s could not be found.", q.Type)
		}
		v.Type = t.Name
	}
	if q.Image != "" {
		image, found := c.findImage(project, q.Image)
		if !found {
			return v, badRequest("Invalid image identifier or unable to access requested image.")
		}
		v.ImageID, v.ImageName = image.ID, image.Name
	}
	err := c.store.Update(func(tx *state.Tx) error {
		if have, found := volumes.Get(tx, id); found {
			v = have
			return nil
		}
		if err := c.cinderQuota(tx, project, 1, v.Size); err != nil {
			return err
		}
		return volumes.Put(tx, id, v)
	})
	return v, err
}

func (c *Cloud) listVolumes(r *request, detail bool) (reply, error) {
	out := []object{}
	q := r.URL.Query()
	for _, v := range state.LoadAll(c.store, volumes, "") {
		wanted := r.lists(v.ProjectID) && q.Get("marker") == "" && (!q.Has("name") || q.Get("name") == v.Name) &&
			(!q.Has("status") || q.Get("status") == v.Status)
		switch {
		case !wanted:
		case detail:
			out = append(out, volumeView(v))
		default:
			out = append(out, object{"id": v.ID, "name": v.Name, "links": []object{}})
		}
	}
	return ok(object{"volumes": out})
}

func volumeNotFound(id string) error {
	return notFound("NotFound", "Volume %s could not be found.", id)
}

func (c *Cloud) volume(r *request, id string) (Volume, error) {
	v, found := state.Load(c.store, volumes, id)
	if !found || !r.sees(v.ProjectID) {
		return v, volumeNotFound(id)
	}
	return v, nil
}

func (c *Cloud) updateVolume(_ *request, v Volume, q volumeRequest) (reply, error) {
	v, _, err := state.Change(c.store, volumes, v.ID, func(v *Volume) error {
		set(&v.Name, q.Name)
		set(&v.Description, q.Description)
		if q.Metadata != nil {
			v.Metadata = q.Metadata
		}
		return nil
	})
	return one(http.StatusOK, "volume", volumeView(v), err)
}

func (c *Cloud) deleteVolumeCall(r *request, v Volume) (reply, error) {
	if !slices.Contains([]string{"available", "error"}, v.Status) {
		return reply{}, badRequest("Invalid volume: Volume status must be available or error or error_restoring or " +
			"error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, " +
			"awaiting a transfer, or be disassociated from snapshots after volume transfer.")
	}
	return empty(http.StatusAccepted, c.dropVolume(r.Context(), v.ID))
}

func (c *Cloud) dropVolume(ctx context.Context, id string) error {
	if err := c.hypervisor.DeleteVolume(ctx, id); err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return hypervisorError(err)
	}
	return state.Remove(c.store, volumes, id)
}

type volumeChange struct {
	Extend *struct {
		Size int `json:"new_size"`
	} `json:"os-extend"`
}

func (c *Cloud) volumeAction(_ *request, v Volume, q volumeChange) (reply, error) {
	if q.Extend == nil {
		return reply{}, badRequest("The lab knows only the volume action os-extend.")
	}
	size := q.Extend.Size
	if size <= v.Size {
		return reply{}, badRequest("Invalid input received: New size for extend must be greater than current size. "+
			"(current: %d, extended: %d).", v.Size, size)
	}
	return empty(http.StatusAccepted, c.store.Update(func(tx *state.Tx) error {
		if err := c.cinderQuota(tx, v.ProjectID, 0, size-v.Size); err != nil {
			return err
		}
		v.Size = size
		return volumes.Put(tx, v.ID, v)
	}))
}

func (c *Cloud) cinderLimits(r *request) (reply, error) {
	var limit, used Quota
	_ = c.store.View(func(tx *state.Tx) error {
		limit, used = c.quota(tx, "cinder", r.project()), c.usage(tx, "cinder", r.project())
		return nil
	})
	return ok(object{"limits": object{"rate": []object{}, "absolute": object{
		"maxTotalVolumes": limit["volumes"], "totalVolumesUsed": used["volumes"],
		"maxTotalVolumeGigabytes": limit["gigabytes"], "totalGigabytesUsed": used["gigabytes"],
	}}})
}
