package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// occupy marks a volume as attached; vacate marks it as free.
func occupy(tx *state.Tx, a Attachment, s Server, now time.Time) error {
	v, found := volumes.Get(tx, a.VolumeID)
	if !found {
		return volumeNotFound(a.VolumeID)
	}
	v.Status, v.ServerID, v.Device, v.Host, v.AttachedAt, v.Updated = "in-use", s.ID, a.Device, s.Host, now, now
	return volumes.Put(tx, v.ID, v)
}

func vacate(tx *state.Tx, id string, now time.Time) error {
	v, found := volumes.Get(tx, id)
	if !found {
		return nil
	}
	v.Status, v.ServerID, v.Device, v.Host, v.Updated = "available", "", "", "", now
	return volumes.Put(tx, id, v)
}

// bootVolumes prepares the volumes of a new server. In a real cloud the first (boot_index 0) holds the root file
// system; here only the records say so.
func (c *Cloud) bootVolumes(tx *state.Tx, s *Server, devices []blockDevice) error {
	for _, d := range devices {
		boot := d.BootIndex != nil && intOf(d.BootIndex, -1) == 0
		if d.Source == "image" && (d.Destination == "local" || d.Destination == "") {
			continue
		}
		v, err := c.bootVolume(tx, s, d)
		if err != nil {
			return err
		}
		if boot && s.BootImage == "" {
			s.BootImage = v.ImageName
		}
		a := Attachment{VolumeID: v.ID, DeleteOnTermination: d.DeleteOnTermination, Boot: boot}
		if boot {
			a.Device = "/dev/vda"
		}
		s.Volumes = append(s.Volumes, a)
		if err := occupy(tx, a, *s, c.now()); err != nil {
			return err
		}
	}
	if s.BootImage == "" {
		return badRequest("Block Device Mapping is Invalid: No boot device was given that holds an image.")
	}
	return nil
}

func (c *Cloud) bootVolume(tx *state.Tx, s *Server, d blockDevice) (Volume, error) {
	switch d.Source {
	case "volume":
		v, found := volumes.Get(tx, d.UUID)
		if !found || v.ProjectID != s.ProjectID {
			return v, badRequest("Block Device Mapping is Invalid: failed to get volume %s.", d.UUID)
		}
		if v.Status != "available" {
			return v, badRequest("Invalid volume: volume %s is %s.", v.ID, v.Status)
		}
		return v, nil
	case "image", "blank":
		size := intOf(d.Size, s.Flavor.Disk)
		v := Volume{
			ID: uuid.NewString(), ProjectID: s.ProjectID, UserID: s.UserID, Size: size, Status: "available",
			Type: "lab", AZ: zone, Metadata: map[string]string{}, Created: c.now(), Updated: c.now(),
		}
		if d.Source == "image" {
			image, found := imageIn(images.All(tx), s.ProjectID, d.UUID)
			if !found {
				return v, badRequest("Block Device Mapping is Invalid: failed to get image %s.", d.UUID)
			}
			v.ImageID, v.ImageName = image.ID, image.Name
		}
		if err := c.cinderQuota(tx, s.ProjectID, 1, size); err != nil {
			return v, fail(http.StatusForbidden, "Forbidden", "%s", strings.SplitN(err.Error(), ": ", 2)[1])
		}
		return v, volumes.Put(tx, v.ID, v)
	default:
		return Volume{}, badRequest("Block Device Mapping is Invalid: source_type %s.", d.Source)
	}
}

// recoverVolumes frees volumes whose attachment was interrupted: how far it got is not known.
func (c *Cloud) recoverVolumes(ctx context.Context) error {
	for _, v := range state.LoadAll(c.store, volumes, "") {
		if v.Status != "attaching" {
			continue
		}
		if err := c.hypervisor.DetachVolume(ctx, v.ServerID, v.ID); err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return fmt.Errorf("recover volume %s: %w", v.ID, err)
		}
		if err := c.store.Update(func(tx *state.Tx) error { return vacate(tx, v.ID, c.now()) }); err != nil {
			return err
		}
	}
	return nil
}

func attachmentView(s Server, a Attachment) object {
	return object{
		"id": a.VolumeID, "volumeId": a.VolumeID, "serverId": s.ID, "device": a.Device,
		"delete_on_termination": a.DeleteOnTermination, "tag": nil,
	}
}

func listAttachments(_ *request, s Server) (reply, error) {
	out := []object{}
	for _, a := range s.Volumes {
		out = append(out, attachmentView(s, a))
	}
	return ok(object{"volumeAttachments": out})
}

func attachment(s Server, volume string) (Attachment, error) {
	for _, a := range s.Volumes {
		if a.VolumeID == volume {
			return a, nil
		}
	}
	return Attachment{}, notFound("NotFound", "Instance %s is not attached to volume %s", s.ID, volume)
}

func showAttachment(r *request, s Server) (reply, error) {
	a, err := attachment(s, r.PathValue("volume"))
	return one(http.StatusOK, "volumeAttachment", attachmentView(s, a), err)
}

type volumeAttachment struct {
	Volume string `json:"volumeId"`
	Delete bool   `json:"delete_on_termination"`
}

func (c *Cloud) attachCall(r *request, s Server, q volumeAttachment) (reply, error) {
	if _, err := c.volume(r, q.Volume); err != nil {
		return reply{}, err
	}
	a, err := c.attach(r.Context(), s.ID, Attachment{VolumeID: q.Volume, DeleteOnTermination: q.Delete})
	return one(http.StatusOK, "volumeAttachment", attachmentView(s, a), err)
}

// attach gives a server a volume as a block device. If the volume is attached already, it changes nothing.
func (c *Cloud) attach(ctx context.Context, serverID string, a Attachment) (Attachment, error) {
	var v Volume
	done := false
	err := c.store.Update(func(tx *state.Tx) error {
		s, found := servers.Get(tx, serverID)
		if !found {
			return serverNotFound(serverID)
		}
		if v, found = volumes.Get(tx, a.VolumeID); !found {
			return volumeNotFound(a.VolumeID)
		}
		if have, err := attachment(s, v.ID); err == nil {
			a, done = have, true
			return nil
		}
		if !slices.Contains([]string{statusActive, statusShutoff, statusPaused}, s.Status) || s.Deleting {
			_, vm := power(s.Status)
			return conflict("Conflict", "Cannot 'attach_volume' instance %s while it is in vm_state %s", s.ID, vm)
		}
		if v.Status != "available" && (v.Status != "attaching" || v.ServerID != s.ID) {
			return badRequest("Invalid volume: volume %s status must be 'available'. Currently in '%s'", v.ID, v.Status)
		}
		v.Status, v.ServerID = "attaching", s.ID
		return volumes.Put(tx, v.ID, v)
	})
	if err != nil || done {
		return a, err
	}
	a.Device, err = c.hypervisor.AttachVolume(ctx, serverID, machine.Volume{ID: v.ID, SizeGB: v.Size})
	werr := c.store.Update(func(tx *state.Tx) error {
		s, found := servers.Get(tx, serverID)
		if err != nil || !found {
			return vacate(tx, v.ID, c.now())
		}
		s.Volumes = append(s.Volumes, a)
		return errors.Join(servers.Put(tx, s.ID, s), occupy(tx, a, s, c.now()))
	})
	return a, errors.Join(hypervisorError(err), werr)
}

func (c *Cloud) detachCall(r *request, s Server) (reply, error) {
	a, err := attachment(s, r.PathValue("volume"))
	if err != nil {
		return reply{}, err
	}
	if a.Boot {
		return reply{}, badRequest("Cannot detach a root device volume")
	}
	return empty(http.StatusAccepted, c.detach(r.Context(), s.ID, a.VolumeID))
}

// detach detaches a volume from a server, if it is attached.
func (c *Cloud) detach(ctx context.Context, serverID, volumeID string) error {
	s, found := state.Load(c.store, servers, serverID)
	if !found {
		return nil
	}
	if _, err := attachment(s, volumeID); err != nil {
		return nil //nolint:nilerr // already detached is success
	}
	if err := c.hypervisor.DetachVolume(ctx, serverID, volumeID); err != nil && !lcm.Is(err, lcm.KindNotFound) {
		return hypervisorError(err)
	}
	return c.store.Update(func(tx *state.Tx) error {
		if s, found := servers.Get(tx, serverID); found {
			s.Volumes = slices.DeleteFunc(s.Volumes, func(a Attachment) bool { return a.VolumeID == volumeID })
			if err := servers.Put(tx, s.ID, s); err != nil {
				return err
			}
		}
		return vacate(tx, volumeID, c.now())
	})
}
