package openstack

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Network is a Neutron network. On the lab's drivers it is a layer 2 segment with one IPv4 subnet.
type Network struct {
	ID, Name, Description, ProjectID        string
	Shared, External, AdminUp, PortSecurity bool
	SubnetIDs                               []string
	Created, Updated                        time.Time
}

// Subnet is a Neutron subnet.
type Subnet struct {
	ID, Name, Description, NetworkID, ProjectID string
	CIDR                                        netip.Prefix
	Gateway                                     netip.Addr // zero: none
	First, Last                                 netip.Addr // the allocation pool
	// Next is where the search for a free address begins: an address just freed comes last, so that
	// nobody mistakes a new machine for an old one.
	Next             netip.Addr
	DHCP             bool
	DNS              []string
	Created, Updated time.Time
}

// FixedIP is an address of a port.
type FixedIP struct {
	SubnetID string
	IP       netip.Addr
}

// AddressPair is one of a port's allowed_address_pairs.
type AddressPair struct {
	IP  string `json:"ip_address"`
	MAC string `json:"mac_address"`
}

// Port is a Neutron port.
type Port struct {
	ID, Name, Description, NetworkID, ProjectID, MAC string
	FixedIPs                                         []FixedIP
	Pairs                                            []AddressPair
	SecurityGroups                                   []string
	NoSecurity                                       bool // port_security_enabled: false
	DeviceID, DeviceOwner, Host, Status              string
	AdminUp                                          bool
	Created, Updated                                 time.Time
}

// The owners of ports.
const (
	ownerRouter   = "network:router_interface"
	ownerFloating = "network:floatingip"
	ownerServer   = "compute:nova"
)

const (
	networks = state.Table[Network]("neutron_networks")
	subnets  = state.Table[Subnet]("neutron_subnets")
	ports    = state.Table[Port]("neutron_ports")
	tags     = state.Table[[]string]("neutron_tags")
)

func (rt *router) neutron() {
	c := rt.c
	for _, path := range []string{"", "/{$}"} {
		rt.open(neutron, "GET "+path, func(*request) (reply, error) {
			return ok(object{"versions": []object{{
				"id": "v2.0", "status": "CURRENT", "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/networking/v2.0/"}},
			}}})
		})
	}
	for _, path := range []string{"/v2.0", "/v2.0/{$}"} {
		rt.open(neutron, "GET "+path, func(*request) (reply, error) { return ok(object{"resources": []object{}}) })
	}
	rt.on(neutron, "GET /v2.0/extensions", listExtensions)
	rt.on(neutron, "GET /v2.0/extensions/{alias}", showExtension)
	crud(rt, "networks", "network", c.listNetworks, c.showNetwork, c.createNetwork, c.updateNetwork, c.deleteNetwork)
	crud(rt, "subnets", "subnet", c.listSubnets, c.showSubnet, c.createSubnet, c.updateSubnet, c.deleteSubnet)
	crud(rt, "ports", "port", c.listPorts, c.showPort, c.createPortCall, c.updatePortCall, c.deletePortCall)
	crud(rt, "routers", "router", c.listRouters, c.showRouter, c.createRouter, c.updateRouter, c.deleteRouter)
	crud(rt, "floatingips", "floatingip", c.listFloatingIPs, c.showFloatingIP, c.createFloatingIPCall, c.updateFloatingIP, c.deleteFloatingIPCall)
	crud(rt, "security-groups", "security_group", c.listGroups, c.showGroup, c.createGroup, c.updateGroup, c.deleteGroup)
	crud(rt, "security-group-rules", "security_group_rule", c.listRules, c.showRule, c.createRule, nil, c.deleteRule)
	rt.on(neutron, "PUT /v2.0/routers/{id}/add_router_interface", c.addInterface)
	rt.on(neutron, "PUT /v2.0/routers/{id}/remove_router_interface", c.removeInterface)
	rt.on(neutron, "GET /v2.0/{collection}/{id}/tags", c.listTags)
	rt.on(neutron, "PUT /v2.0/{collection}/{id}/tags", c.replaceTags)
	rt.on(neutron, "DELETE /v2.0/{collection}/{id}/tags", c.replaceTags)
	rt.on(neutron, "PUT /v2.0/{collection}/{id}/tags/{tag}", c.addTag)
	rt.on(neutron, "GET /v2.0/quotas/{id}", c.showNeutronQuota)
	rt.on(neutron, "GET /v2.0/quotas/{id}/details.json", c.showNeutronUsage)
	rt.on(neutron, "GET /v2.0/quotas/{id}/details", c.showNeutronUsage)
	rt.on(neutron, "PUT /v2.0/quotas/{id}", c.updateNeutronQuota)
	rt.on(neutron, "DELETE /v2.0/quotas/{id}", c.resetNeutronQuota)
}

// crud registers the five usual calls of a collection. The views come in without their envelope.
func crud(rt *router, collection, member string,
	list func(*request) []object, show func(*request, string) (object, error),
	create func(*request) (object, error), update func(*request, string) (object, error), remove func(*request, string) error,
) {
	rt.on(neutron, "GET /v2.0/"+collection, func(r *request) (reply, error) {
		return ok(object{strings.ReplaceAll(collection, "-", "_"): rt.c.filtered(r, list(r))})
	})
	rt.on(neutron, "GET /v2.0/"+collection+"/{id}", func(r *request) (reply, error) {
		v, err := show(r, r.PathValue("id"))
		return reply{status: http.StatusOK, body: object{member: rt.c.tagged(v)}}, err
	})
	rt.on(neutron, "POST /v2.0/"+collection, func(r *request) (reply, error) {
		v, err := create(r)
		return reply{status: http.StatusCreated, body: object{member: rt.c.tagged(v)}}, err
	})
	if update != nil {
		rt.on(neutron, "PUT /v2.0/"+collection+"/{id}", func(r *request) (reply, error) {
			v, err := update(r, r.PathValue("id"))
			return reply{status: http.StatusOK, body: object{member: rt.c.tagged(v)}}, err
		})
	}
	rt.on(neutron, "DELETE /v2.0/"+collection+"/{id}", func(r *request) (reply, error) {
		return reply{status: http.StatusNoContent}, remove(r, r.PathValue("id"))
	})
}

// notFilters are the query parameters of a listing that do not name a field.
var notFilters = []string{"limit", "marker", "fields", "sort_key", "sort_dir", "page_reverse", "tags", "tags-any"}

// filtered applies the query's filters as Neutron does: fields by equality, fixed_ips by its parts, tags.
func (c *Cloud) filtered(r *request, all []object) []object {
	q := r.URL.Query()
	out := []object{}
	for _, v := range all {
		v = c.tagged(v)
		keep := true
		for field, wanted := range q {
			if !slices.Contains(notFilters, field) {
				keep = keep && fieldMatches(v, field, wanted)
			}
		}
		have, _ := v["tags"].([]string)
		for _, tag := range splitComma(q.Get("tags")) {
			keep = keep && slices.Contains(have, tag)
		}
		if anyOf := splitComma(q.Get("tags-any")); len(anyOf) > 0 {
			keep = keep && slices.ContainsFunc(anyOf, func(tag string) bool { return slices.Contains(have, tag) })
		}
		if keep {
			out = append(out, v)
		}
	}
	return out
}

func splitComma(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func fieldMatches(v object, field string, wanted []string) bool {
	if field == "fixed_ips" {
		for _, w := range wanted {
			key, value, _ := strings.Cut(w, "=")
			list, _ := v["fixed_ips"].([]object)
			if !slices.ContainsFunc(list, func(ip object) bool { return ip[key] == value }) {
				return false
			}
		}
		return true
	}
	have, known := v[field]
	if !known {
		return false
	}
	return slices.ContainsFunc(wanted, func(w string) bool {
		switch x := have.(type) {
		case string:
			return x == w
		case bool:
			return strings.EqualFold(w, "true") == x
		default:
			return false
		}
	})
}

// tagged adds a view's tags.
func (c *Cloud) tagged(v object) object {
	if v == nil {
		return nil
	}
	id, _ := v["id"].(string)
	list, found := state.Load(c.store, tags, id)
	if !found || list == nil {
		list = []string{}
	}
	v["tags"] = list
	return v
}

func (c *Cloud) listTags(r *request) (reply, error) {
	list, _ := state.Load(c.store, tags, r.PathValue("id"))
	if list == nil {
		list = []string{}
	}
	return ok(object{"tags": list})
}

// taggable checks that the tagged thing exists and is the caller's.
func (c *Cloud) taggable(r *request) error {
	show := map[string]func(*request, string) (object, error){
		"networks": c.showNetwork, "subnets": c.showSubnet, "ports": c.showPort, "routers": c.showRouter,
		"floatingips": c.showFloatingIP, "security-groups": c.showGroup, "security_groups": c.showGroup,
	}[r.PathValue("collection")]
	if show == nil {
		return notFound("TagResourceNotFound", "Resource %s could not be found.", r.PathValue("collection"))
	}
	_, err := show(r, r.PathValue("id"))
	return err
}

func (c *Cloud) replaceTags(r *request) (reply, error) {
	if err := c.taggable(r); err != nil {
		return reply{}, err
	}
	list := []string{}
	if r.Method == http.MethodDelete {
		return reply{status: http.StatusNoContent}, state.Remove(c.store, tags, r.PathValue("id"))
	}
	if err := r.decode("tags", &list); err != nil {
		return reply{}, err
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if err := state.Save(c.store, tags, r.PathValue("id"), list); err != nil {
		return reply{}, err
	}
	return ok(object{"tags": list})
}

func (c *Cloud) addTag(r *request) (reply, error) {
	if err := c.taggable(r); err != nil {
		return reply{}, err
	}
	list, _ := state.Load(c.store, tags, r.PathValue("id"))
	return reply{status: http.StatusCreated}, state.Save(c.store, tags, r.PathValue("id"), appendMissing(list, r.PathValue("tag")))
}

// extensions are those whose behaviour the lab has.
var extensions = []string{
	"allowed-address-pairs", "external-net", "port-security", "quotas", "quota_details",
	"router", "security-group", "standard-attr-tag", "standard-attr-description", "standard-attr-timestamp", "subnet_allocation", "binding",
}

func extensionView(alias string) object {
	return object{"alias": alias, "name": alias, "description": "", "updated": "2020-01-01T00:00:00-00:00", "links": []object{}}
}

func listExtensions(*request) (reply, error) {
	out := []object{}
	for _, alias := range extensions {
		out = append(out, extensionView(alias))
	}
	return ok(object{"extensions": out})
}

func showExtension(r *request) (reply, error) {
	alias := r.PathValue("alias")
	if !slices.Contains(extensions, alias) {
		return reply{}, notFound("NotFound", "Extension with alias %s does not exist", alias)
	}
	return ok(object{"extension": extensionView(alias)})
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
