package openstack

import (
	"context"
	"net/http"
	"net/netip"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// lab registers the lab's own calls. They need no token, so only this host may call them.
func (rt *router) lab() {
	c := rt.c
	on := func(pattern string, h handler) {
		rt.open(lab, pattern, func(r *request) (reply, error) {
			if !local(r.Request) {
				return reply{}, fail(http.StatusForbidden, "Forbidden", "The lab takes orders from its own host only.")
			}
			return h(r)
		})
	}
	on("GET /health", func(*request) (reply, error) { return ok(object{"status": "ok"}) })
	on("GET /faults", func(*request) (reply, error) { return ok(object{"faults": c.faults.list()}) })
	on("POST /faults", c.addFault)
	on("DELETE /faults", func(*request) (reply, error) { c.faults.remove(""); return noContent() })
	on("DELETE /faults/{id}", func(r *request) (reply, error) { c.faults.remove(r.PathValue("id")); return noContent() })
	on("GET /machines", c.listMachines)
	on("POST /machines/{id}/{action}", c.orderMachine)
	on("GET /resources", c.inventory)
	on("PUT /catalog/{type}", c.enlist)
	on("DELETE /catalog/{type}", c.delist)
}

func (c *Cloud) addFault(r *request) (reply, error) {
	var f Fault
	if err := r.decode("", &f); err != nil {
		return reply{}, err
	}
	f, err := c.faults.add(f)
	if err != nil {
		return reply{}, err
	}
	return created(f)
}

func (c *Cloud) listMachines(r *request) (reply, error) {
	out, stacks := []object{}, c.heat.Owners()
	for _, s := range state.LoadAll(c.store, servers, "") {
		st, err := c.hypervisor.State(r.Context(), s.ID)
		if err != nil {
			st = machine.State(err.Error())
		}
		out = append(out, object{
			"id": s.ID, "name": s.Name, "status": s.Status, "machine": st, "addresses": c.addresses(s), "stack": stacks[s.ID],
		})
	}
	return ok(object{"machines": out})
}

// orderMachine changes a machine without the cloud's knowledge: power cuts, hangs, panics.
func (c *Cloud) orderMachine(r *request) (reply, error) {
	id := r.PathValue("id")
	s, found := first(state.LoadAll(c.store, servers, ""), func(s Server) bool { return s.ID == id || s.Name == id })
	if !found {
		return reply{}, notFound("NotFound", "There is no machine %s.", id)
	}
	action := r.PathValue("action")
	do, known := map[string]func(context.Context, string) error{
		"kill": c.hypervisor.Kill, "start": c.hypervisor.Start, "freeze": c.hypervisor.Freeze, "thaw": c.hypervisor.Thaw, "cut": c.cut,
		"reboot": func(ctx context.Context, id string) error { return c.hypervisor.Reboot(ctx, id, true) },
	}[action]
	if !known {
		return reply{}, notFound("NotFound", "The actions of a machine are kill, start, freeze, thaw, reboot and cut, not %s.",
			action)
	}
	if err := do(r.Context(), s.ID); err != nil {
		return reply{}, hypervisorError(err)
	}
	// Nova's power sync notices within minutes that a machine is off or on; the lab's notices at once. Nova does not
	// notice that a machine is frozen.
	if status := map[string]string{"kill": statusShutoff, "start": statusActive}[action]; status != "" {
		c.setStatus(s.ID, status)
	}
	return noContent()
}

// cut closes the machine's SSH connections; running commands continue. It returns Conflict when there are none.
func (c *Cloud) cut(ctx context.Context, id string) error {
	count, err := c.hypervisor.Cut(ctx, id)
	if err == nil && count == 0 {
		return conflict("Conflict", "The machine %s has no connection to cut.", id)
	}
	return err
}

// inventory lists every object that users made, for leak checks.
func (c *Cloud) inventory(*request) (reply, error) {
	out := object{}
	seeded := func(id string) bool { return slices.Contains(c.seed.Seeded, id) }
	_ = c.store.View(func(tx *state.Tx) error {
		out["servers"] = named(servers.All(tx), func(s Server) (string, string) { return s.ID, s.Name }, seeded)
		out["ports"] = named(ports.All(tx), func(p Port) (string, string) { return p.ID, p.Name }, func(id string) bool {
			p, _ := ports.Get(tx, id)
			return seeded(id) || p.DeviceOwner == ownerFloating // the list has its floating IP instead
		})
		out["networks"] = named(networks.All(tx), func(n Network) (string, string) { return n.ID, n.Name }, seeded)
		out["subnets"] = named(subnets.All(tx), func(s Subnet) (string, string) { return s.ID, s.Name }, seeded)
		out["routers"] = named(routers.All(tx), func(r Router) (string, string) { return r.ID, r.Name }, seeded)
		out["floatingips"] = named(floatingIPs.All(tx),
			func(f FloatingIP) (string, string) { return f.ID, f.Address.String() }, seeded)
		out["security_groups"] = named(secgroups.All(tx), func(g SecurityGroup) (string, string) { return g.ID, g.Name },
			func(id string) bool {
				g, _ := secgroups.Get(tx, id)
				return g.Name == "default"
			})
		out["load_balancers"] = named(loadBalancers.All(tx), func(b LoadBalancer) (string, string) { return b.ID, b.Name },
			func(id string) bool { b, _ := loadBalancers.Get(tx, id); return c.gone(b) })
		out["volumes"] = named(volumes.All(tx), func(v Volume) (string, string) { return v.ID, v.Name }, seeded)
		out["keypairs"] = named(keypairs.All(tx), func(k KeyPair) (string, string) { return k.UserID + "/" + k.Name, k.Name },
			seeded)
		out["flavors"] = named(flavorTable.All(tx), func(f Flavor) (string, string) { return f.ID, f.Name }, seeded)
		out["volume_types"] = named(typeTable.All(tx), func(t VolumeType) (string, string) { return t.ID, t.Name }, seeded)
		out["qos_policies"] = named(qosPolicies.All(tx), func(p QoSPolicy) (string, string) { return p.ID, p.Name }, seeded)
		out["server_groups"] = named(serverGroups.All(tx), func(g ServerGroup) (string, string) { return g.ID, g.Name },
			seeded)
		return nil
	})
	stacks := []object{}
	for _, st := range c.heat.List("", true, false) {
		stacks = append(stacks, object{"id": st.ID, "name": st.Name, "status": st.State(), "reason": st.Reason})
	}
	out["stacks"] = stacks
	return ok(out)
}

func named[T any](all []T, name func(T) (id, name string), skip func(id string) bool) []object {
	out := []object{}
	for _, v := range all {
		if id, n := name(v); !skip(id) {
			out = append(out, object{"id": id, "name": n})
		}
	}
	return out
}

// local reports whether a request comes from this host itself.
func local(r *http.Request) bool {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// LocalOnly refuses requests from other hosts to a handler that needs no token.
func LocalOnly(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r) {
			http.Error(w, "The lab takes orders from its own host only.", http.StatusForbidden)
			return
		}
		h(w, r)
	})
}
