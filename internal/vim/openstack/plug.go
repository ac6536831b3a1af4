package openstack

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/attachinterfaces"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// PortsByID reads those of the ports that exist, whoever has made them, with one call for many.
func (c *Cloud) PortsByID(ctx context.Context, ids ...string) ([]vim.Port, error) {
	return c.portsWith(ctx, "id", ids)
}

// PortsOf reads the ports that servers have, whoever has made them.
func (c *Cloud) PortsOf(ctx context.Context, serverIDs ...string) ([]vim.Port, error) {
	return c.portsWith(ctx, "device_id", serverIDs)
}

func (c *Cloud) portsWith(ctx context.Context, attribute string, values []string) (out []vim.Port, err error) {
	for some := range slices.Chunk(values, idsAtOnce) {
		list, err := listed(ctx, "list the ports", ports.List(c.network, byID{attribute, some}), ports.ExtractPorts)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			port, err := portOf(p)
			if err != nil {
				return nil, err
			}
			out = append(out, port)
		}
	}
	return out, nil
}

// portOf is a port without what leads to it.
func portOf(p ports.Port) (vim.Port, error) {
	port := vim.Port{ID: p.ID, Name: p.Name, NetworkID: p.NetworkID, ServerID: p.DeviceID, MAC: p.MACAddress, VimType: portType}
	for _, ip := range p.FixedIPs {
		if err := checkAddress("port", p.ID, ip.IPAddress); err != nil {
			return port, err
		}
		port.FixedIPs = append(port.FixedIPs, lcm.FixedIP{Address: ip.IPAddress, SubnetID: ip.SubnetID})
	}
	port.Address = addressOf(port.FixedIPs)
	return port, nil
}

// PlugPort gives a server a port that no other server has. Idempotent: it does nothing if the server has the port
// already. Errors: Conflict when the server cannot get a port now, e.g. in ERROR, or another device has the port;
// NotFound when the server or the port is gone.
func (c *Cloud) PlugPort(ctx context.Context, serverID, portID string) error {
	doing := "plug the port " + portID + " into the server " + serverID
	port, err := ports.Get(ctx, c.network, portID).Extract()
	if err != nil || port.DeviceID == serverID {
		return translate(doing, err)
	}
	if port.DeviceID != "" {
		return lcm.Errorf(lcm.KindConflict, "The port %s is in use by %s, so %s cannot have it.", portID, port.DeviceID,
			serverID)
	}
	_, err = attachinterfaces.Create(ctx, c.compute, serverID, attachinterfaces.CreateOpts{PortID: portID}).Extract()
	if gophercloud.ResponseCodeIs(err, http.StatusBadRequest) { // an earlier call may have arrived late
		if now, again := ports.Get(ctx, c.network, portID).Extract(); again == nil && now.DeviceID == serverID {
			return nil
		}
	}
	return translate(doing, err)
}

// UnplugPort takes a port from a server, and waits until it is free. Idempotent: it does nothing if the server does not
// have the port, or one of them is gone. Errors: Conflict when Nova cannot take a port from the server now, e.g.
// because it is in ERROR.
func (c *Cloud) UnplugPort(ctx context.Context, serverID, portID string) error {
	doing := "take the port " + portID + " from the server " + serverID
	asked := false
	return c.until(ctx, func() (bool, error) {
		port, err := ports.Get(ctx, c.network, portID).Extract()
		if err = translate(doing, err); lcm.Is(err, lcm.KindNotFound) || err == nil && port.DeviceID != serverID {
			return true, nil
		}
		if err != nil || asked {
			return false, err
		}
		asked = true
		err = translate(doing, attachinterfaces.Delete(ctx, c.compute, serverID, portID).ExtractErr())
		if lcm.Is(err, lcm.KindNotFound) { // Nova and Neutron need not agree at once
			err = nil
		}
		return false, err
	})
}

// Network is the id of a network of the cloud, by its id or by its name.
// Errors: NotFound when there is none, Invalid when several have the name.
func (c *Cloud) Network(ctx context.Context, nameOrID string) (string, error) {
	var found []string
	for _, attribute := range []string{"id", "name"} {
		var answer struct {
			Networks []struct {
				ID string `json:"id"`
			} `json:"networks"`
		}
		if err := c.read(ctx, c.network, &answer, url.Values{attribute: {nameOrID}}, "networks"); err != nil {
			return "", translate("find the network "+nameOrID, err)
		}
		for _, n := range answer.Networks {
			found = append(found, n.ID)
		}
		if len(found) > 0 {
			break
		}
	}
	switch len(found) {
	case 0:
		return "", lcm.Errorf(lcm.KindNotFound, "There is no network %s.", nameOrID)
	case 1:
		return found[0], nil
	default:
		return "", lcm.Errorf(lcm.KindInvalid, "Several networks have the name %s: use the id.", nameOrID)
	}
}
