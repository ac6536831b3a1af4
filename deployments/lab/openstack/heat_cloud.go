package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// heatResources is Heat's access to the other services. It does not use HTTP, but applies the same checks and faults.
type heatResources struct{ c *Cloud }

// maker has the operations on one resource type.
type maker struct {
	service    *service
	path       string // of the collection, for faults
	create     func(ctx context.Context, i hot.Item) (string, error)
	update     func(ctx context.Context, i hot.Item, old map[string]any) error // nil: nothing can be updated
	remove     func(ctx context.Context, i hot.Item) error
	attributes func(i hot.Item) (map[string]any, error)
}

// makers returns the operations on all resource types.
func (h heatResources) makers() map[string]maker {
	all := map[string]maker{
		"OS::Nova::Server": {nova, "/v2.1/servers", h.createServer, h.updateServer, h.removeServer, h.serverAttributes},
		"OS::Nova::ServerGroup": {
			nova, "/v2.1/os-server-groups", h.createServerGroup, nil, h.removeServerGroup, h.serverGroupAttributes,
		},
		"OS::Nova::KeyPair": {nova, "/v2.1/os-keypairs", h.createKeyPair, nil, h.removeKeyPair, h.keyPairAttributes},
		"OS::Neutron::Net":  {neutron, "/v2.0/networks", h.createNet, h.updateNet, h.removeNet, h.netAttributes},
		"OS::Neutron::Subnet": {
			neutron, "/v2.0/subnets", h.createSubnet, h.updateSubnet, h.removeSubnet,
			attributesIn(h, subnets, subnetView),
		},
		"OS::Neutron::Port": {neutron, "/v2.0/ports", h.createPort, h.updatePort, h.removePort, h.portAttributes},
		"OS::Neutron::Router": {
			neutron, "/v2.0/routers", h.createRouter, h.updateRouter, h.removeRouter,
			attributesIn(h, routers, routerView),
		},
		"OS::Neutron::RouterInterface": {
			neutron, "/v2.0/routers", h.createInterface, nil, h.removeInterface, noAttributes,
		},
		"OS::Neutron::FloatingIP": {
			neutron, "/v2.0/floatingips", h.createFloatingIP, h.updateFloatingIP, h.removeFloatingIP,
			attributesIn(h, floatingIPs, floatingIPView),
		},
		"OS::Neutron::FloatingIPAssociation": {
			neutron, "/v2.0/floatingips", h.createAssociation, h.updateAssociation, h.removeAssociation, noAttributes,
		},
		"OS::Neutron::SecurityGroup": {
			neutron, "/v2.0/security-groups", h.createGroup, h.updateGroup, h.removeGroup,
			attributesIn(h, secgroups, groupView),
		},
		"OS::Cinder::Volume": {
			cinder, "/v3/volumes", h.createVolume, h.updateVolume, h.removeVolume, h.volumeAttributes,
		},
		"OS::Cinder::VolumeAttachment": {
			nova, "/v2.1/servers/os-volume_attachments", h.createAttachment, h.updateAttachment, h.removeAttachment,
			noAttributes,
		},
	}
	maps.Copy(all, h.adminMakers())
	return all
}

func noAttributes(hot.Item) (map[string]any, error) { return map[string]any{}, nil }

// call applies the faults that match an equivalent HTTP request.
func (h heatResources) call(ctx context.Context, m maker, method, path string) error {
	err := h.c.faults.request(ctx, m.service, method, m.service.prefix+path)
	if errors.Is(err, errDrop) {
		return &hot.Error{Type: "ConnectFailure", Message: fmt.Sprintf(
			"Unable to establish connection to %s%s%s: ('Connection aborted.', RemoteDisconnected('Remote end closed "+
				"connection without response'))", h.c.cfg.Endpoint, m.service.prefix, path)}
	}
	return h.translate(m.service, err)
}

// Create makes a resource.
func (h heatResources) Create(ctx context.Context, i hot.Item) (string, error) {
	m := h.c.makers[i.Type]
	if err := h.call(ctx, m, http.MethodPost, m.path); err != nil {
		return i.Physical, err
	}
	id, err := m.create(ctx, i)
	return id, h.translate(m.service, err)
}

// Update changes a resource in place.
func (h heatResources) Update(ctx context.Context, i hot.Item, old map[string]any) error {
	m := h.c.makers[i.Type]
	if err := h.call(ctx, m, http.MethodPut, m.path+"/"+i.ID()); err != nil {
		return err
	}
	if m.update == nil {
		return nil
	}
	return h.translate(m.service, m.update(ctx, i, old))
}

// Delete removes a resource; a resource that is already gone is no error.
func (h heatResources) Delete(ctx context.Context, i hot.Item) error {
	m := h.c.makers[i.Type]
	if err := h.call(ctx, m, http.MethodDelete, m.path+"/"+i.ID()); err != nil {
		return err
	}
	err := h.removePatiently(ctx, m, i)
	if isNotFound(err) {
		return nil
	}
	return h.translate(m.service, err)
}

// removePatiently retries for a while, as Heat does, when a subnet, a network or a router still has ports: the owners
// of these ports may be about to be deleted.
func (h heatResources) removePatiently(ctx context.Context, m maker, i hot.Item) error {
	until := time.Now().Add(h.c.cfg.HeatPatience)
	var last error
	err := await(ctx, func() (bool, error) {
		last = m.remove(ctx, i)
		e, isAPI := errors.AsType[*apiError](last)
		inUse := isAPI && (e.kind == "SubnetInUse" || e.kind == "NetworkInUse" || e.kind == "RouterInUse")
		return !inUse || time.Now().After(until), nil
	})
	return cmp.Or(err, last)
}

// Detach makes a resource that is about to be replaced release what its successor needs, as Heat's prepare_for_replace
// does. A server releases its ports, a port its addresses. Both objects stay until the successor exists. As in Heat, a
// server in ERROR keeps its ports.
func (h heatResources) Detach(ctx context.Context, i hot.Item) error {
	switch i.Type {
	case "OS::Nova::Server":
		s, found := state.Load(h.c.store, servers, i.ID())
		if !found || s.Status == statusError || s.Deleting {
			return nil
		}
		if err := h.c.replug(ctx, s.ID, nil); err != nil && !isNotFound(err) { // its machine may be gone
			return h.translate(nova, err)
		}
	case "OS::Neutron::Port":
		// The machine with the port keeps its addresses until it loses the port: no guest asks for them earlier.
		_, _, err := state.Change(h.c.store, ports, i.ID(), func(p *Port) error { p.FixedIPs = nil; return nil })
		return err
	}
	return nil
}

func isNotFound(err error) bool {
	e, isAPI := errors.AsType[*apiError](err)
	return isAPI && e.code == http.StatusNotFound
}

// Usable compares a resource with the cloud's record.
func (h heatResources) Usable(_ context.Context, i hot.Item) error {
	if i.Type == "OS::Nova::Server" {
		srv, found := state.Load(h.c.store, servers, i.ID())
		switch {
		case !found:
			return serverNotFound(i.ID())
		case srv.Status != statusActive:
			return &hot.Error{Type: "ResourceInError", Message: fmt.Sprintf("Server %s is not ACTIVE but %s", srv.Name,
				srv.Status)}
		}
		return nil
	}
	_, err := h.c.makers[i.Type].attributes(i)
	return err
}

// Attributes reads a resource.
func (h heatResources) Attributes(_ context.Context, i hot.Item) (map[string]any, error) {
	return h.c.makers[i.Type].attributes(i)
}

// translate words an API error as the services' Python clients do, because Heat passes on their words.
func (h heatResources) translate(from *service, err error) error {
	e, isAPI := errors.AsType[*apiError](err)
	if !isAPI {
		return err
	}
	id := "req-" + uuid.NewString()
	if from == neutron {
		kind := e.kind + "Client"
		if e.code == http.StatusNotFound {
			kind = "NotFound"
		}
		if e.code >= 500 {
			kind = strings.ReplaceAll(http.StatusText(e.code), " ", "")
		}
		return &hot.Error{Type: kind, Message: fmt.Sprintf("%s\nNeutron server returns request_ids: ['%s']", e.message, id)}
	}
	kind := map[int]string{
		400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict",
		413: "OverLimit", 500: "InternalServerError",
	}[e.code]
	if kind == "" {
		kind = "ClientException"
	}
	return &hot.Error{Type: kind, Message: fmt.Sprintf("%s (HTTP %d) (Request-ID: %s)", e.message, e.code, id)}
}

// await repeats done until it returns true or an error, or ctx ends.
func await(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
