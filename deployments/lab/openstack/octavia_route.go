package openstack

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// OctaviaListener is a port of a load balancer.
type OctaviaListener struct {
	ID, LoadBalancerID string
	Name               string `json:"name"`
	Protocol           string `json:"protocol"`
	ProtocolPort       int    `json:"protocol_port"`
	DefaultPoolID      string `json:"default_pool_id"`
	ClientTimeout      int    `json:"timeout_client_data"`
	MemberTimeout      int    `json:"timeout_member_data"`
}

// OctaviaPool is a target of listeners.
type OctaviaPool struct {
	ID, LoadBalancerID string
	Name               string          `json:"name"`
	Protocol           string          `json:"protocol"`
	Method             string          `json:"lb_algorithm"`
	Members            []OctaviaMember `json:"members"`
	Monitor            *OctaviaMonitor
}

// OctaviaMember is a server behind a pool.
type OctaviaMember struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Address      string `json:"address"`
	ProtocolPort int    `json:"protocol_port"`
}

// OctaviaMonitor is the health monitor of a pool.
type OctaviaMonitor struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Path  string `json:"url_path"`
	Codes string `json:"expected_codes"`
}

const (
	octaviaListeners = state.Table[OctaviaListener]("octavia_listeners")
	octaviaPools     = state.Table[OctaviaPool]("octavia_pools")
)

func (rt *router) octaviaRoutes() {
	c := rt.c
	const base = "/v2.0/lbaas/"
	rt.on(octavia, "GET "+base+"listeners", c.listListeners)
	rt.on(octavia, "POST "+base+"listeners", given("listener", c.createListener))
	rt.on(octavia, "DELETE "+base+"listeners/{id}", c.deleteListener)
	rt.on(octavia, "GET "+base+"pools", c.listPools)
	rt.on(octavia, "POST "+base+"pools", given("pool", c.createPool))
	rt.on(octavia, "DELETE "+base+"pools/{id}", c.deletePool)
	rt.on(octavia, "GET "+base+"pools/{id}/members", c.listMembers)
	rt.on(octavia, "PUT "+base+"pools/{id}/members", given("members", c.replaceMembers))
	rt.on(octavia, "POST "+base+"healthmonitors", given("healthmonitor", c.createMonitor))
}

func (c *Cloud) listenersOf(balancer string) []OctaviaListener {
	return slices.DeleteFunc(state.LoadAll(c.store, octaviaListeners, ""),
		func(l OctaviaListener) bool { return l.LoadBalancerID != balancer })
}

func (c *Cloud) poolsOf(balancer string) []OctaviaPool {
	return slices.DeleteFunc(state.LoadAll(c.store, octaviaPools, ""),
		func(p OctaviaPool) bool { return p.LoadBalancerID != balancer })
}

func listenerView(l OctaviaListener) object {
	return object{
		"id": l.ID, "name": l.Name, "protocol": l.Protocol, "protocol_port": l.ProtocolPort, "default_pool_id": orNil(l.DefaultPoolID),
		"loadbalancers": []object{{"id": l.LoadBalancerID}}, "timeout_client_data": l.ClientTimeout, "timeout_member_data": l.MemberTimeout,
		"admin_state_up": true, "provisioning_status": octaviaActive, "operating_status": "ONLINE",
	}
}

func poolView(p OctaviaPool) object {
	members := []object{}
	for _, m := range p.Members {
		members = append(members, object{"id": m.ID})
	}
	monitor := any(nil)
	if p.Monitor != nil {
		monitor = p.Monitor.ID
	}
	return object{
		"id": p.ID, "name": p.Name, "protocol": p.Protocol, "lb_algorithm": p.Method, "healthmonitor_id": monitor, "members": members,
		"loadbalancers": []object{{"id": p.LoadBalancerID}}, "admin_state_up": true, "provisioning_status": octaviaActive,
		"operating_status": "ONLINE",
	}
}

// within reports whether a listing of listeners or pools wants the objects of a load balancer.
func (c *Cloud) within(r *request, balancer string) bool {
	of := r.URL.Query().Get("loadbalancer_id")
	_, err := c.balancer(r, balancer)
	return err == nil && (of == "" || of == balancer)
}

func (c *Cloud) listListeners(r *request) (reply, error) {
	shown := func(l OctaviaListener) bool { return c.within(r, l.LoadBalancerID) }
	return ok(object{"listeners": views(state.LoadAll(c.store, octaviaListeners, ""), shown, listenerView)})
}

func (c *Cloud) listPools(r *request) (reply, error) {
	shown := func(p OctaviaPool) bool { return c.within(r, p.LoadBalancerID) }
	return ok(object{"pools": views(state.LoadAll(c.store, octaviaPools, ""), shown, poolView)})
}

type listenerRequest struct {
	OctaviaListener

	Balancer string `json:"loadbalancer_id"`
}

func (c *Cloud) createListener(r *request, q listenerRequest) (reply, error) {
	l := q.OctaviaListener
	l.ID, l.LoadBalancerID = uuid.NewString(), q.Balancer
	same := func(other OctaviaListener) bool { return other.ProtocolPort == l.ProtocolPort }
	if slices.ContainsFunc(c.listenersOf(l.LoadBalancerID), same) {
		return reply{}, conflict("Conflict", "Another Listener on this Load Balancer is already using protocol TCP and protocol_port %d",
			l.ProtocolPort)
	}
	b, err := c.busy(r, l.LoadBalancerID, octaviaUpdates)
	if err != nil {
		return reply{}, err
	}
	if err := state.Save(c.store, octaviaListeners, l.ID, l); err != nil {
		return reply{}, err
	}
	return one(http.StatusCreated, "listener", listenerView(l), c.carry(r.Context(), b))
}

func (c *Cloud) deleteListener(r *request) (reply, error) {
	l, found := state.Load(c.store, octaviaListeners, r.PathValue("id"))
	if !found {
		return reply{}, notFound("NotFound", "listener %s not found.", r.PathValue("id"))
	}
	b, err := c.busy(r, l.LoadBalancerID, octaviaUpdates)
	if err != nil {
		return reply{}, err
	}
	if err := state.Remove(c.store, octaviaListeners, l.ID); err != nil {
		return reply{}, err
	}
	return empty(http.StatusNoContent, c.carry(r.Context(), b))
}

type poolRequest struct {
	OctaviaPool

	Balancer string `json:"loadbalancer_id"`
}

func (c *Cloud) createPool(r *request, q poolRequest) (reply, error) {
	p := q.OctaviaPool
	p.ID, p.LoadBalancerID = uuid.NewString(), q.Balancer
	if _, err := c.busy(r, p.LoadBalancerID, octaviaUpdates); err != nil {
		return reply{}, err
	}
	return one(http.StatusCreated, "pool", poolView(p), state.Save(c.store, octaviaPools, p.ID, p))
}

func (c *Cloud) pool(id string) (OctaviaPool, error) {
	p, found := state.Load(c.store, octaviaPools, id)
	if !found {
		return p, notFound("NotFound", "pool %s not found.", id)
	}
	return p, nil
}

// changePool changes a pool, and starts a change of its load balancer.
func (c *Cloud) changePool(r *request, id string, change func(*OctaviaPool)) error {
	p, err := c.pool(id)
	if err != nil {
		return err
	}
	b, err := c.busy(r, p.LoadBalancerID, octaviaUpdates)
	if err != nil {
		return err
	}
	change(&p)
	if err := state.Save(c.store, octaviaPools, id, p); err != nil {
		return err
	}
	return c.carry(r.Context(), b)
}

func (c *Cloud) deletePool(r *request) (reply, error) {
	id := r.PathValue("id")
	if err := c.changePool(r, id, func(*OctaviaPool) {}); err != nil {
		return reply{}, err
	}
	return empty(http.StatusNoContent, state.Remove(c.store, octaviaPools, id))
}

func (c *Cloud) listMembers(r *request) (reply, error) {
	p, err := c.pool(r.PathValue("id"))
	out := []object{}
	for _, m := range p.Members {
		out = append(out, object{
			"id": m.ID, "name": m.Name, "address": m.Address, "protocol_port": m.ProtocolPort, "weight": 1, "admin_state_up": true,
			"provisioning_status": octaviaActive, "operating_status": "ONLINE",
		})
	}
	return one(http.StatusOK, "members", out, err)
}

// replaceMembers is Octavia's batch update: it removes the members that the request does not name.
func (c *Cloud) replaceMembers(r *request, members []OctaviaMember) (reply, error) {
	for i := range members {
		members[i].ID = uuid.NewString()
	}
	return empty(http.StatusAccepted, c.changePool(r, r.PathValue("id"), func(p *OctaviaPool) { p.Members = members }))
}

type monitorRequest struct {
	OctaviaMonitor

	Pool string `json:"pool_id"`
}

func (c *Cloud) createMonitor(r *request, q monitorRequest) (reply, error) {
	m := q.OctaviaMonitor
	m.ID = uuid.NewString()
	if p, found := state.Load(c.store, octaviaPools, q.Pool); found && p.Monitor != nil {
		return reply{}, conflict("Conflict", "This pool already has a health monitor")
	}
	return one(http.StatusCreated, "healthmonitor", object{"id": m.ID, "name": m.Name, "type": m.Type},
		c.changePool(r, q.Pool, func(p *OctaviaPool) { p.Monitor = &m }))
}
