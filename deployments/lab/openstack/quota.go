package openstack

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Quota is a project's limits, with the services' own names as keys; -1 is unlimited. The store keeps only the values
// that differ from the defaults.
type Quota map[string]int

const quotas = state.Table[Quota]("quotas")

// defaultQuota is enough for a thousand small VNFs; a test of quotas sets its own.
func defaultQuota() map[string]Quota {
	return map[string]Quota{
		"nova": {
			"instances": 2000, "cores": 8000, "ram": 8 * 1024 * 1024, "key_pairs": 100, "server_groups": 50,
			"server_group_members": 100,
			"metadata_items":       128, "injected_files": 5, "injected_file_content_bytes": 10240, "injected_file_path_bytes": 255,
			"floating_ips": -1, "fixed_ips": -1, "security_groups": -1, "security_group_rules": -1,
		},
		"neutron": {
			"network": 100, "subnet": 100, "port": 5000, "router": 10, "floatingip": 50, "security_group": 100,
			"security_group_rule": 1000, "rbac_policy": 10, "subnetpool": -1,
		},
		"cinder": {
			"volumes": 100, "gigabytes": 1000, "snapshots": 10, "per_volume_gigabytes": -1, "backups": 10,
			"backup_gigabytes": 1000, "groups": 10,
		},
	}
}

func (c *Cloud) quota(tx *state.Tx, service, project string) Quota {
	out := maps.Clone(defaultQuota()[service])
	own, _ := quotas.Get(tx, service+"/"+project)
	maps.Copy(out, own)
	return out
}

// usage counts a project's use of the limited resources.
func (c *Cloud) usage(tx *state.Tx, service, project string) Quota {
	u := Quota{}
	switch service {
	case "nova":
		count(u, "instances", servers.All(tx), func(s Server) bool {
			if s.ProjectID != project {
				return false
			}
			u["cores"] += s.Flavor.VCPUs
			u["ram"] += s.Flavor.RAM
			return true
		})
		count(u, "key_pairs", keypairs.All(tx), func(k KeyPair) bool { return k.ProjectID == project })
		count(u, "server_groups", serverGroups.All(tx), func(g ServerGroup) bool { return g.ProjectID == project })
	case "neutron":
		count(u, "network", networks.All(tx), func(n Network) bool { return n.ProjectID == project })
		count(u, "subnet", subnets.All(tx), func(s Subnet) bool { return s.ProjectID == project })
		count(u, "port", ports.All(tx), func(p Port) bool { return p.ProjectID == project })
		count(u, "router", routers.All(tx), func(rtr Router) bool { return rtr.ProjectID == project })
		count(u, "floatingip", floatingIPs.All(tx), func(f FloatingIP) bool { return f.ProjectID == project })
		count(u, "security_group", secgroups.All(tx), func(g SecurityGroup) bool { return g.ProjectID == project })
	case "cinder":
		count(u, "volumes", volumes.All(tx), func(v Volume) bool {
			if v.ProjectID != project {
				return false
			}
			u["gigabytes"] += v.Size
			return true
		})
	}
	return u
}

func count[T any](u Quota, name string, all []T, counts func(T) bool) {
	for _, v := range all {
		if counts(v) {
			u[name]++
		}
	}
}

func exceeded(limit, used, more int) bool { return limit >= 0 && used+more > limit }

// neutronQuota refuses one more resource if that exceeds the quota, in Neutron's words.
func (c *Cloud) neutronQuota(tx *state.Tx, project, resource string) error {
	if exceeded(c.quota(tx, "neutron", project)[resource], c.usage(tx, "neutron", project)[resource], 1) {
		return conflict("OverQuota", "Quota exceeded for resources: ['%s'].", resource)
	}
	return nil
}

// novaQuota checks the quotas for a new server; like Nova, it names the first quota that would be exceeded.
func (c *Cloud) novaQuota(tx *state.Tx, project string, f Flavor) error {
	limit, used := c.quota(tx, "nova", project), c.usage(tx, "nova", project)
	for _, q := range []struct {
		name string
		more int
	}{{"instances", 1}, {"cores", f.VCPUs}, {"ram", f.RAM}} {
		if exceeded(limit[q.name], used[q.name], q.more) {
			return fail(http.StatusForbidden, "Forbidden", "Quota exceeded for %s: Requested %d, but already used %d of %d %s",
				q.name, q.more, used[q.name], limit[q.name], q.name)
		}
	}
	return nil
}

func (c *Cloud) cinderQuota(tx *state.Tx, project string, number, gigabytes int) error {
	limit, used := c.quota(tx, "cinder", project), c.usage(tx, "cinder", project)
	if exceeded(limit["gigabytes"], used["gigabytes"], gigabytes) {
		return fail(http.StatusRequestEntityTooLarge, "OverLimit",
			"VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested %dG, "+
				"quota is %dG and %dG has been consumed.",
			gigabytes, limit["gigabytes"], used["gigabytes"])
	}
	if exceeded(limit["volumes"], used["volumes"], number) {
		return fail(http.StatusRequestEntityTooLarge, "OverLimit",
			"VolumeLimitExceeded: Maximum number of volumes allowed (%d) exceeded for quota 'volumes'.", limit["volumes"])
	}
	return nil
}

// quotaView shows limits; detail adds the usage.
func (c *Cloud) quotaView(service, project, inUse string, detail bool) object {
	view := object{}
	_ = c.store.View(func(tx *state.Tx) error {
		used := c.usage(tx, service, project)
		for name, limit := range c.quota(tx, service, project) {
			view[name] = limit
			if detail {
				view[name] = object{"limit": limit, inUse: used[name], "reserved": 0}
			}
		}
		return nil
	})
	return view
}

// setQuota changes limits; only administrators may do so.
func (c *Cloud) setQuota(r *request, service, project string, raw map[string]json.RawMessage) error {
	if err := mayManage(r, "quota updates"); err != nil {
		return err
	}
	known := defaultQuota()[service]
	given := Quota{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if _, isLimit := known[name]; !isLimit {
			continue // force, tenant_id ...
		}
		var n int
		if err := json.Unmarshal(raw[name], &n); err != nil || n < -1 {
			return badRequest("Invalid input for %s: %s", name, raw[name])
		}
		given[name] = n
	}
	return c.store.Update(func(tx *state.Tx) error {
		own, _ := quotas.Get(tx, service+"/"+project)
		if own == nil {
			own = Quota{}
		}
		maps.Copy(own, given)
		return quotas.Put(tx, service+"/"+project, own)
	})
}

func (c *Cloud) ownQuota(r *request) error {
	if r.sees(r.PathValue("id")) {
		return nil
	}
	return fail(http.StatusForbidden, "Forbidden", "You are not authorized to see the quota of project %s.",
		r.PathValue("id"))
}

// showQuota returns the handler that answers with a project's quota in an envelope.
func (c *Cloud) showQuota(s *service, member, inUse string, detail func(*request) bool) handler {
	return func(r *request) (reply, error) {
		id := r.PathValue("id")
		view := c.quotaView(s.name, id, inUse, detail(r))
		if s != neutron {
			view["id"] = id
		}
		return one(http.StatusOK, member, view, c.ownQuota(r))
	}
}

func (c *Cloud) updateQuota(s *service, member string) handler {
	return given(member, func(r *request, limits map[string]json.RawMessage) (reply, error) {
		err := c.setQuota(r, s.name, r.PathValue("id"), limits)
		return one(http.StatusOK, member, c.quotaView(s.name, r.PathValue("id"), "", false), err)
	})
}

func (c *Cloud) resetQuota(s *service, status int) handler {
	return restricted(mayManage, "quota updates", func(r *request) (reply, error) {
		return empty(status, state.Remove(c.store, quotas, s.name+"/"+r.PathValue("id")))
	})
}

func (rt *router) neutronQuotas() {
	const quota = "/v2.0/quotas/{id}"
	show := func(detail bool) handler {
		return rt.c.showQuota(neutron, "quota", "used", func(*request) bool { return detail })
	}
	rt.on(neutron, "GET "+quota, show(false))
	rt.on(neutron, "GET "+quota+"/details.json", show(true))
	rt.on(neutron, "GET "+quota+"/details", show(true))
	rt.on(neutron, "PUT "+quota, rt.c.updateQuota(neutron, "quota"))
	rt.on(neutron, "DELETE "+quota, rt.c.resetQuota(neutron, http.StatusNoContent))
}

// quotaSets registers the quota calls of Nova or Cinder, which are alike.
func (rt *router) quotaSets(s *service, base string) {
	quota := base + "/os-quota-sets/{id}"
	show := func(detail func(*request) bool) handler { return rt.c.showQuota(s, "quota_set", "in_use", detail) }
	rt.on(s, "GET "+quota, show(func(r *request) bool { return strings.EqualFold(r.URL.Query().Get("usage"), "true") }))
	rt.on(s, "GET "+quota+"/detail", show(func(*request) bool { return true }))
	rt.on(s, "GET "+quota+"/defaults", func(r *request) (reply, error) {
		view := object{"id": r.PathValue("id")}
		for name, limit := range defaultQuota()[s.name] {
			view[name] = limit
		}
		return ok(object{"quota_set": view})
	})
	rt.on(s, "PUT "+quota, rt.c.updateQuota(s, "quota_set"))
	rt.on(s, "DELETE "+quota, rt.c.resetQuota(s, http.StatusAccepted))
}
