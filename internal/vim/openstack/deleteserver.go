package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tellsOfDeletion is the first microversion of Nova (Kilo) that says whether Nova deletes a server's volumes with the
// server. Lists of attachments say so only since 2.79, and never for the boot volume.
const tellsOfDeletion = "2.3"

// VolumesLost returns the volumes that Nova deletes together with a server (delete_on_termination). ours are the
// stack's volumes. The server's boot volume counts only if it is among ours: otherwise it is made anew with the server.
// Errors: NotFound when Nova has no such server; Conflict when Nova does not say whether it deletes a volume.
func (c *Cloud) VolumesLost(ctx context.Context, serverID string, ours ...string) ([]string, error) {
	attached, err := c.Attachments(ctx, serverID)
	if err != nil || len(attached) == 0 {
		return nil, err
	}
	server, err := c.readDisks(ctx, serverID)
	if err != nil {
		return nil, err
	}
	root := server.bootVolume(attached)
	var out []string
	for _, a := range attached {
		if a.VolumeID == root && !slices.Contains(ours, root) {
			continue
		}
		switch lost := server.deletes(a.VolumeID); {
		case lost == nil:
			return nil, lcm.Errorf(lcm.KindConflict, "Nova does not report whether it would delete the volume %s "+
				"together with the server %s (delete_on_termination needs microversion %s): Windlass cannot keep "+
				"volumes, and has deleted nothing.", a.VolumeID, serverID, tellsOfDeletion)
		case *lost:
			out = append(out, a.VolumeID)
		}
	}
	slices.Sort(out)
	return out, nil
}

// disks is Nova's answer about a server's disks.
type disks struct {
	Image   any    `json:"image"`                            // "" when it boots from a volume, else an object
	Root    string `json:"OS-EXT-SRV-ATTR:root_device_name"` // for administrators only
	Volumes []disk `json:"os-extended-volumes:volumes_attached"`
}

type disk struct {
	ID   string `json:"id"`
	Lost *bool  `json:"delete_on_termination"`
}

func (c *Cloud) readDisks(ctx context.Context, serverID string) (out disks, err error) {
	nova := *c.compute
	nova.Microversion = tellsOfDeletion
	err = servers.Get(ctx, &nova, serverID).ExtractInto(&out)
	if gophercloud.ResponseCodeIs(err, http.StatusNotAcceptable) {
		out = disks{}
		err = servers.Get(ctx, c.compute, serverID).ExtractInto(&out)
	}
	return out, translate("read the disks of server "+serverID, err)
}

// deletes reports whether Nova deletes a volume with the server; nil when Nova does not say.
func (d disks) deletes(volume string) *bool {
	for _, v := range d.Volumes {
		if v.ID == volume {
			return v.Lost
		}
	}
	return nil
}

// bootVolume returns the server's boot volume; "" when there is none or several volumes may be it. A data disk on
// another bus than the root disk is also called a first disk there, such as /dev/sda.
func (d disks) bootVolume(attached []Attachment) (volume string) {
	if image, isText := d.Image.(string); !isText || image != "" {
		return ""
	}
	names := []string{"/dev/vda", "/dev/sda", "/dev/xvda", "/dev/hda"}
	if d.Root != "" {
		names = []string{d.Root}
	}
	for _, a := range attached {
		switch {
		case !slices.Contains(names, a.Device):
		case volume != "":
			return ""
		default:
			volume = a.VolumeID
		}
	}
	return volume
}

// DeleteServer deletes a server and waits until it is gone. Then its volumes, and its ports that are not Nova's own,
// are free. It forces the deletion where Nova would keep deleted servers, with their volumes, for a while. Idempotent:
// a missing server counts as deleted. Errors: Broken when Nova gave the deletion up.
func (c *Cloud) DeleteServer(ctx context.Context, id string) error {
	d := deletion{cloud: c, id: id}
	return c.until(ctx, func() (bool, error) { return d.look(ctx) })
}

// deletion is the progress of a server's deletion.
type deletion struct {
	cloud         *Cloud
	id            string
	asked, forced bool
}

// look makes the next request of the deletion, if one is due, and reports whether the server is gone.
func (d *deletion) look(ctx context.Context) (gone bool, err error) {
	s, err := d.cloud.ServerState(ctx, d.id)
	switch {
	case lcm.Is(err, lcm.KindNotFound):
		return true, nil
	case err != nil:
		return false, err
	case s.Status == "DELETED":
		return true, nil
	case s.Task == "deleting" || s.Task == "soft-deleting":
		d.asked = true
		return false, nil
	case s.Status == "SOFT_DELETED" && !d.forced:
		err = servers.ForceDelete(ctx, d.cloud.compute, d.id).ExtractErr()
		d.asked, d.forced = err == nil, err == nil
	case !d.asked:
		err = servers.Delete(ctx, d.cloud.compute, d.id).ExtractErr()
		d.asked = err == nil
	case settled(s, statusError):
		return false, lcm.Errorf(lcm.KindBroken, "The server %s cannot be deleted: %s. Mend the cause, then retry.", s.Name,
			orUnknown(s.Fault))
	}
	if err = translate("delete "+s.Name, err); lcm.Is(err, lcm.KindNotFound) {
		return true, nil
	}
	return false, err
}
