package openstack

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// LoadBalancer is an Octavia load balancer. During a change it accepts no other change.
type LoadBalancer struct {
	ID, Name, Description, ProjectID, Provider, FlavorID string
	VipPortID, VipAddress, VipSubnetID, VipNetworkID     string
	// Doing is the provisioning_status of the change that ends at Until.
	Doing            string
	Until            time.Time
	Created, Updated time.Time
}

const loadBalancers = state.Table[LoadBalancer]("octavia_loadbalancers")

const (
	octaviaActive   = "ACTIVE"
	octaviaCreates  = "PENDING_CREATE"
	octaviaUpdates  = "PENDING_UPDATE"
	octaviaDeletes  = "PENDING_DELETE"
	octaviaError    = "ERROR"
	ownerOctavia    = "Octavia"
	octaviaWorksFor = 200 * time.Millisecond
)

func (rt *router) octavia() {
	c := rt.c
	rt.roots(octavia, func(*request) (reply, error) {
		return ok(object{"versions": []object{{
			"id": "v2.26", "status": "CURRENT", "updated": "2022-08-29T00:00:00Z",
			"links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/load-balancer/v2"}},
		}}})
	}, "", "/{$}")
	const all, item = "/v2.0/lbaas/loadbalancers", "/v2.0/lbaas/loadbalancers/{id}"
	find := func(r *request) (LoadBalancer, error) { return c.balancer(r, r.PathValue("id")) }
	rt.on(octavia, "GET "+all, c.listBalancers)
	rt.on(octavia, "POST "+all, given("loadbalancer", c.createBalancer))
	rt.on(octavia, "GET "+item, show("loadbalancer", find, c.balancerView))
	rt.on(octavia, "DELETE "+item, c.deleteBalancer)
	rt.octaviaRoutes()
}

// octaviaStatus returns provisioning_status: a change ends when its time has passed.
func (c *Cloud) octaviaStatus(b LoadBalancer) string {
	if c.now().Before(b.Until) || b.Doing == octaviaError {
		return b.Doing
	}
	return octaviaActive
}

// gone reports whether a load balancer has been deleted.
func (c *Cloud) gone(b LoadBalancer) bool {
	return b.Doing == octaviaDeletes && !c.now().Before(b.Until)
}

func (c *Cloud) balancerView(b LoadBalancer) object {
	refs := func(ids []string) []object {
		out := []object{}
		for _, id := range ids {
			out = append(out, object{"id": id})
		}
		return out
	}
	var served, behind []string
	for _, l := range c.listenersOf(b.ID) {
		served = append(served, l.ID)
	}
	for _, p := range c.poolsOf(b.ID) {
		behind = append(behind, p.ID)
	}
	return object{
		"id": b.ID, "name": b.Name, "description": b.Description, "project_id": b.ProjectID, "tenant_id": b.ProjectID,
		"provider": b.Provider, "flavor_id": orNil(b.FlavorID), "admin_state_up": true, "provisioning_status": c.octaviaStatus(b),
		"operating_status": "ONLINE", "vip_port_id": b.VipPortID, "vip_address": b.VipAddress, "vip_subnet_id": b.VipSubnetID,
		"vip_network_id": b.VipNetworkID, "listeners": refs(served), "pools": refs(behind), "tags": []string{},
		"created_at": octaviaStamp(b.Created), "updated_at": octaviaStamp(b.Updated),
	}
}

func octaviaStamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func (c *Cloud) listBalancers(r *request) (reply, error) {
	shown := func(b LoadBalancer) bool { return r.sees(b.ProjectID) && !c.gone(b) && wants(r, b.Name) }
	return ok(object{"loadbalancers": views(state.LoadAll(c.store, loadBalancers, ""), shown, c.balancerView)})
}

func (c *Cloud) balancer(r *request, id string) (LoadBalancer, error) {
	b, found := state.Load(c.store, loadBalancers, id)
	if !found || !r.sees(b.ProjectID) || c.gone(b) {
		return b, notFound("NotFound", "Load Balancer %s not found.", id)
	}
	return b, nil
}

type balancerRequest struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Provider    string `json:"provider"`
	FlavorID    string `json:"flavor_id"`
	VipPortID   string `json:"vip_port_id"`
}

func (c *Cloud) createBalancer(r *request, q balancerRequest) (reply, error) {
	p, err := c.port(r, q.VipPortID)
	if err != nil {
		return reply{}, badRequest("Port %s not found.", q.VipPortID)
	}
	if p.DeviceID != "" || len(p.FixedIPs) == 0 {
		return reply{}, conflict("Conflict", "Port %s is already used by another device, or has no address.", p.ID)
	}
	b := LoadBalancer{
		ID: uuid.NewString(), Name: q.Name, Description: q.Description, ProjectID: r.project(), FlavorID: q.FlavorID,
		Provider: cmp.Or(q.Provider, "amphora"), VipPortID: p.ID, VipAddress: p.FixedIPs[0].IP.String(), VipSubnetID: p.FixedIPs[0].SubnetID,
		VipNetworkID: p.NetworkID, Doing: octaviaCreates, Until: c.now().Add(octaviaWorksFor), Created: c.now(), Updated: c.now(),
	}
	if c.faults.resource(hot.Stack{}, hot.Resource{Name: "load-balancer"}, hot.Create) != nil {
		b.Doing = octaviaError
	}
	device, owner := "lb-"+b.ID, ownerOctavia
	if _, err := c.changePort(r.Context(), p.ID, portRequest{DeviceID: &device, DeviceOwner: &owner}); err != nil {
		return reply{}, err
	}
	return one(http.StatusCreated, "loadbalancer", c.balancerView(b), state.Save(c.store, loadBalancers, b.ID, b))
}

// busy begins a change of a load balancer, and refuses it while another change is under way.
func (c *Cloud) busy(r *request, id, doing string) (LoadBalancer, error) {
	b, err := c.balancer(r, id)
	if err != nil {
		return b, err
	}
	if status := c.octaviaStatus(b); status != octaviaActive && (status != octaviaError || doing != octaviaDeletes) {
		return b, conflict("Conflict", "Load Balancer %s is immutable and cannot be updated.", id)
	}
	b.Doing, b.Until, b.Updated = doing, c.now().Add(octaviaWorksFor), c.now()
	return b, state.Save(c.store, loadBalancers, id, b)
}

func (c *Cloud) deleteBalancer(r *request) (reply, error) {
	id := r.PathValue("id")
	if r.URL.Query().Get("cascade") != "true" && len(c.listenersOf(id))+len(c.poolsOf(id)) > 0 {
		return reply{}, badRequest("Cannot delete Load Balancer %s - it has children", id)
	}
	b, err := c.busy(r, id, octaviaDeletes)
	if err != nil {
		return reply{}, err
	}
	err = c.store.Update(func(tx *state.Tx) error {
		return errors.Join(
			deleteIf(tx, octaviaListeners, func(l OctaviaListener) (string, bool) { return l.ID, l.LoadBalancerID == id }),
			deleteIf(tx, octaviaPools, func(p OctaviaPool) (string, bool) { return p.ID, p.LoadBalancerID == id }),
		)
	})
	if err != nil {
		return reply{}, err
	}
	if _, found := state.Load(c.store, ports, b.VipPortID); found {
		free := ""
		if _, err := c.changePort(r.Context(), b.VipPortID, portRequest{DeviceID: &free, DeviceOwner: &free}); err != nil {
			return reply{}, err
		}
	}
	return empty(http.StatusNoContent, c.carry(r.Context(), b))
}

// carry makes the machine hypervisor carry the traffic of a load balancer, if the hypervisor can.
func (c *Cloud) carry(ctx context.Context, b LoadBalancer) error {
	hypervisor, can := c.hypervisor.(machine.Balancer)
	if !can {
		return nil
	}
	out := machine.LoadBalancer{ID: b.ID, Address: b.VipAddress}
	for _, l := range c.listenersOf(b.ID) {
		front := machine.Front{Port: l.ProtocolPort}
		if pool, found := state.Load(c.store, octaviaPools, l.DefaultPoolID); found {
			for _, m := range pool.Members {
				front.Members = append(front.Members, machine.Member{Name: m.Name, Address: m.Address, Port: m.ProtocolPort})
			}
		}
		out.Fronts = append(out.Fronts, front)
	}
	return hypervisorError(hypervisor.Balance(ctx, out))
}

// recoverBalancers makes the hypervisor carry the traffic again after a restart.
func (c *Cloud) recoverBalancers(ctx context.Context) error {
	all := state.LoadAll(c.store, loadBalancers, "")
	for _, b := range slices.DeleteFunc(all, func(b LoadBalancer) bool { return b.Doing == octaviaDeletes }) {
		if err := c.carry(ctx, b); err != nil {
			return err
		}
	}
	return nil
}
