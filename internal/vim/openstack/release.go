package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tellsOfDeletion is the microversion of Nova from which on it says whether a volume goes with its server (Train). Older
// ones do not know it for volumes that are attached later, and Heat's default is that they stay.
const tellsOfDeletion = "2.79"

// VolumesLost are the volumes of a server that Nova deletes together with it (delete_on_termination). Errors: NotFound when
// Nova has no such server.
func (c *Cloud) VolumesLost(ctx context.Context, serverID string) ([]string, error) {
	doing := "list the volumes of server " + serverID
	nova := *c.compute
	nova.Microversion = tellsOfDeletion
	page, err := volumeattach.List(&nova, serverID).AllPages(ctx)
	if gophercloud.ResponseCodeIs(err, http.StatusNotAcceptable) {
		nova.Microversion = ""
		page, err = volumeattach.List(&nova, serverID).AllPages(ctx)
	}
	if err != nil {
		return nil, translate(doing, err)
	}
	list, err := volumeattach.ExtractVolumeAttachments(page)
	if err != nil {
		return nil, translate(doing, err)
	}
	var out []string
	for _, a := range list {
		if a.DeleteOnTermination != nil && *a.DeleteOnTermination && !isRoot(a.Device) {
			out = append(out, a.VolumeID)
		}
	}
	slices.Sort(out)
	return out, nil
}

// isRoot tells whether a device is the one that the server boots from: that is made anew with it.
func isRoot(device string) bool {
	return slices.Contains([]string{"/dev/vda", "/dev/sda", "/dev/xvda"}, device)
}

// DeleteServer deletes a server and waits until it is gone; its volumes and the ports that are not Nova's own are free then.
// Where Nova keeps deleted servers for a while, with their volumes, it is told not to.
// Idempotent: one that is gone is deleted. Errors: Broken when Nova gave the deletion up.
func (c *Cloud) DeleteServer(ctx context.Context, id string) error {
	d := deletion{cloud: c, id: id}
	return c.until(ctx, func() (bool, error) { return d.look(ctx) })
}

// deletion is the way of a server out of Nova.
type deletion struct {
	cloud         *Cloud
	id            string
	asked, forced bool
}

// look asks for what is due, and tells whether the server is gone.
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
	case s.settled(statusError):
		return false, lcm.Errorf(lcm.KindBroken, "The server %s cannot be deleted: %s. Mend the cause, then retry.", s.Name, orUnknown(s.Fault))
	}
	if err = translate("delete "+s.Name, err); lcm.Is(err, lcm.KindNotFound) {
		return true, nil
	}
	return false, err
}
