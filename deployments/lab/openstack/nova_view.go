package openstack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// power returns Nova's power_state and vm_state for a status.
func power(status string) (int, string) {
	switch status {
	case statusActive, statusReboot:
		return 1, "active"
	case statusPaused:
		return 3, "paused"
	case statusShutoff:
		return 4, "stopped"
	case statusError:
		return 0, "error"
	default:
		return 0, "building"
	}
}

func (c *Cloud) serverLinks(id string) []object {
	return []object{
		{"rel": "self", "href": c.cfg.Endpoint + "/compute/v2.1/servers/" + id},
		{"rel": "bookmark", "href": c.cfg.Endpoint + "/compute/servers/" + id},
	}
}

// addresses lists a server's addresses by network. A floating address follows its fixed address.
func (c *Cloud) addresses(s Server) map[string][]object {
	out := map[string][]object{}
	_ = c.store.View(func(tx *state.Tx) error {
		floating := floatingIPs.All(tx)
		for _, id := range s.PortIDs {
			p, found := ports.Get(tx, id)
			if !found {
				continue
			}
			n, _ := networks.Get(tx, p.NetworkID)
			for _, ip := range p.FixedIPs {
				out[n.Name] = append(out[n.Name], addressView(ip.IP.String(), "fixed", p.MAC))
				for _, f := range floating {
					if f.PortID == id && f.FixedIP == ip.IP.String() {
						out[n.Name] = append(out[n.Name], addressView(f.Address.String(), "floating", p.MAC))
					}
				}
			}
		}
		return nil
	})
	return out
}

func addressView(ip, typ, mac string) object {
	version := 4
	if strings.Contains(ip, ":") {
		version = 6
	}
	return object{"addr": ip, "version": version, "OS-EXT-IPS:type": typ, "OS-EXT-IPS-MAC:mac_addr": mac}
}

func (c *Cloud) serverView(s Server, version int) object {
	powerState, vmState := power(s.Status)
	view := object{
		"id": s.ID, "name": s.Name, "status": s.Status, "tenant_id": s.ProjectID, "user_id": s.UserID,
		"created": stamp(s.Created), "updated": stamp(s.Updated), "metadata": s.Metadata, "addresses": c.addresses(s),
		"links": c.serverLinks(s.ID), "accessIPv4": "", "accessIPv6": "", "hostId": hostID(s), "config_drive": "",
		"progress": 0, "OS-DCF:diskConfig": "MANUAL", "OS-EXT-AZ:availability_zone": s.AZ,
		"OS-EXT-STS:vm_state": vmState, "OS-EXT-STS:power_state": powerState, "OS-EXT-STS:task_state": nil,
		"OS-SRV-USG:launched_at": nil, "OS-SRV-USG:terminated_at": nil, "key_name": nil, "image": "",
		"security_groups": c.serverGroupsView(s), "locked": false, "description": nil, "tags": []string{},
		"server_groups": []string{},
	}
	if s.Task != "" {
		view["OS-EXT-STS:task_state"] = s.Task
	}
	if s.KeyName != "" {
		view["key_name"] = s.KeyName
	}
	if s.ConfigDrive {
		view["config_drive"] = "True"
	}
	if s.ImageID != "" {
		view["image"] = object{"id": s.ImageID, "links": []object{}}
	}
	if !s.Launched.IsZero() {
		view["OS-SRV-USG:launched_at"] = s.Launched.Format("2006-01-02T15:04:05.000000")
	}
	view["flavor"] = object{"id": s.Flavor.ID, "links": []object{}}
	if version >= 47 {
		view["flavor"] = object{
			"original_name": s.Flavor.Name, "vcpus": s.Flavor.VCPUs, "ram": s.Flavor.RAM, "disk": s.Flavor.Disk,
			"ephemeral": s.Flavor.Ephemeral, "swap": s.Flavor.Swap, "extra_specs": mapped(s.Flavor.ExtraSpecs),
		}
	}
	c.serverDetails(s, view)
	return view
}

// shownTo returns the server's view; administrators see more fields, as in most clouds.
func (c *Cloud) shownTo(r *request, s Server) object {
	view := c.serverView(s, microversionOf(r.Request))
	if r.token.Admin() {
		view["OS-EXT-SRV-ATTR:host"], view["OS-EXT-SRV-ATTR:hypervisor_hostname"] = s.Host, s.Host
		view["OS-EXT-SRV-ATTR:instance_name"], view["OS-EXT-SRV-ATTR:hostname"] = "instance-"+s.ID[:8], hostname(s.Name)
	}
	return view
}

func (c *Cloud) serverDetails(s Server, view object) {
	attached := []object{}
	for _, a := range s.Volumes {
		attached = append(attached, object{"id": a.VolumeID, "delete_on_termination": a.DeleteOnTermination})
	}
	view["os-extended-volumes:volumes_attached"] = attached
	if s.Fault != nil && s.Status == statusError {
		view["fault"] = object{"code": s.Fault.Code, "message": s.Fault.Message, "created": stamp(s.Fault.At)}
	}
	if s.GroupID != "" {
		view["server_groups"] = []string{s.GroupID}
	}
	if list, found := state.Load(c.store, tags, s.ID); found {
		view["tags"] = list
	}
}

func (c *Cloud) serverGroupsView(s Server) []object {
	out := []object{}
	var seen []string
	for _, id := range s.PortIDs {
		p, _ := state.Load(c.store, ports, id)
		for _, gid := range p.SecurityGroups {
			if g, found := state.Load(c.store, secgroups, gid); found && !slices.Contains(seen, g.ID) {
				seen = append(seen, g.ID)
				out = append(out, object{"name": g.Name})
			}
		}
	}
	return out
}

func hostID(s Server) string {
	if s.Host == "" {
		return ""
	}
	sum := sha256.Sum224([]byte(s.ProjectID + s.Host))
	return hex.EncodeToString(sum[:])
}

var notHostname = regexp.MustCompile(`[^a-z0-9.-]+`)

// hostname makes a host name from a server's name, as Nova does.
func hostname(name string) string {
	h := strings.Trim(notHostname.ReplaceAllString(strings.ReplaceAll(strings.ToLower(name), " ", "-"), ""), ".-")
	if h == "" {
		return "server"
	}
	return h[:min(len(h), 63)]
}

func (c *Cloud) listServers(r *request, detail bool) (reply, error) {
	q := r.URL.Query()
	name, err := regexp.Compile(q.Get("name"))
	if err != nil {
		return reply{}, badRequest("Invalid filter name")
	}
	all := state.LoadAll(c.store, servers, "")
	slices.SortFunc(all, func(a, b Server) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	out := []object{}
	for _, s := range all {
		wanted := r.lists(s.ProjectID) && name.MatchString(s.Name) && q.Get("marker") == "" &&
			(q.Get("status") == "" || strings.EqualFold(q.Get("status"), s.Status)) &&
			(q.Get("host") == "" || q.Get("host") == s.Host)
		for _, tag := range splitComma(q.Get("tags")) {
			have, _ := state.Load(c.store, tags, s.ID)
			wanted = wanted && slices.Contains(have, tag)
		}
		switch {
		case !wanted:
		case detail:
			out = append(out, c.shownTo(r, s))
		default:
			out = append(out, object{"id": s.ID, "name": s.Name, "links": c.serverLinks(s.ID)})
		}
	}
	return ok(object{"servers": out})
}

func (c *Cloud) server(r *request) (Server, error) {
	s, found := state.Load(c.store, servers, r.PathValue("id"))
	if !found || !r.sees(s.ProjectID) {
		return s, serverNotFound(r.PathValue("id"))
	}
	return s, nil
}

func serverNotFound(id string) error {
	return notFound("NotFound", "Instance %s could not be found.", id)
}

func (c *Cloud) showServer(r *request, s Server) (reply, error) {
	return ok(object{"server": c.shownTo(r, s)})
}
