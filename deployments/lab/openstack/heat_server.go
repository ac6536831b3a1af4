package openstack

import (
	"context"
	"encoding/base64"
	"fmt"
	"reflect"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func (h heatResources) createServer(ctx context.Context, i hot.Item) (string, error) {
	q, err := h.serverRequest(i)
	if err != nil {
		return "", err
	}
	s, err := h.c.createServer(i.UID, i.ProjectID, i.UserID, q)
	if err != nil {
		return "", err
	}
	i.Exists(s.ID)
	return s.ID, await(ctx, func() (bool, error) {
		s, found := state.Load(h.c.store, servers, s.ID)
		switch {
		case !found:
			return false, serverNotFound(i.UID)
		case s.Status == statusError:
			code, message := 500, "Unknown"
			if s.Fault != nil {
				code, message = s.Fault.Code, s.Fault.Message
			}
			return false, &hot.Error{
				Type:    "ResourceInError",
				Message: fmt.Sprintf(`Went to status ERROR due to "Message: %s, Code: %d"`, message, code),
			}
		default:
			return s.Status == statusActive, nil
		}
	})
}

func (h heatResources) serverRequest(i hot.Item) (serverRequest, error) {
	p := i.Properties
	q := serverRequest{
		Name: str(p, "name"), Flavor: str(p, "flavor"), Image: str(p, "image"), KeyName: str(p, "key_name"),
		AZ:        str(p, "availability_zone"),
		AdminPass: str(p, "admin_pass"), Metadata: textMap(p["metadata"]), Tags: texts(p["tags"]),
	}
	if q.Name == "" {
		q.Name = i.FullName
	}
	if data := str(p, "user_data"); data != "" {
		q.UserData = base64.StdEncoding.EncodeToString([]byte(data))
	}
	if drive := boolPtr(p, "config_drive"); drive != nil {
		q.ConfigDrive = *drive
	}
	if hints, isMap := p["scheduler_hints"].(map[string]any); isMap {
		q.group = str(hints, "group")
	}
	for _, net := range objects(p["networks"]) {
		n := nic{Port: str(net, "port"), FixedIP: str(net, "fixed_ip")}
		if n.Port == "" {
			var err error
			if n.Network, err = h.serverNetwork(i.ProjectID, net); err != nil {
				return q, err
			}
		}
		q.nics = append(q.nics, n)
	}
	for index, d := range objects(p["block_device_mapping_v2"]) {
		q.Devices = append(q.Devices, h.blockDevice(i.ProjectID, d, index, q.Image == ""))
	}
	return q, nil
}

func (h heatResources) serverNetwork(project string, net map[string]any) (string, error) {
	if subnet := str(net, "subnet"); subnet != "" && str(net, "network", "uuid") == "" {
		id, err := h.subnetID(project, subnet)
		if err != nil {
			return "", err
		}
		s, _ := state.Load(h.c.store, subnets, id)
		return s.NetworkID, nil
	}
	return h.networkID(project, str(net, "network", "uuid"))
}

func (h heatResources) blockDevice(project string, d map[string]any, index int, noImage bool) blockDevice {
	out := blockDevice{Source: "blank", Destination: "volume", Size: d["volume_size"], BootIndex: d["boot_index"]}
	if del := boolPtr(d, "delete_on_termination"); del != nil {
		out.DeleteOnTermination = *del
	}
	switch {
	case str(d, "volume_id") != "":
		out.Source, out.UUID = "volume", str(d, "volume_id")
	case str(d, "image", "image_id") != "":
		out.Source, out.UUID = "image", str(d, "image", "image_id")
		if image, found := h.c.findImage(project, out.UUID); found {
			out.UUID = image.ID
		}
	}
	// If a server has no image, Heat makes its first device the boot device.
	if out.BootIndex == nil && index == 0 && noImage {
		out.BootIndex = 0
	}
	return out
}

func (h heatResources) updateServer(ctx context.Context, i hot.Item, old map[string]any) error {
	id, p := i.ID(), i.Properties
	if !reflect.DeepEqual(objects(p["networks"]), objects(old["networks"])) {
		q, err := h.serverRequest(i)
		if err != nil {
			return err
		}
		if err := h.c.replug(ctx, id, q.nics); err != nil {
			return err
		}
	}
	if flavor := str(p, "flavor"); flavor != str(old, "flavor") {
		if err := h.c.resize(i.ProjectID, id, flavor); err != nil {
			return err
		}
	}
	if _, err := h.c.setMetadata(id, textMap(p["metadata"]), true); err != nil {
		return err
	}
	if name := str(p, "name"); name != "" {
		_, _, err := state.Change(h.c.store, servers, id, func(s *Server) error { s.Name = name; return nil })
		return err
	}
	return nil
}

// removeServer waits until the server is gone, so that its ports and volumes are free.
func (h heatResources) removeServer(ctx context.Context, i hot.Item) error {
	if _, found := state.Load(h.c.store, servers, i.ID()); !found {
		return nil
	}
	if err := h.c.deleteServer(i.ID()); err != nil {
		return err
	}
	return await(ctx, func() (bool, error) {
		s, found := state.Load(h.c.store, servers, i.ID())
		if found && !s.Deleting && s.Fault != nil {
			return false, &hot.Error{
				Type:    "ResourceInError",
				Message: fmt.Sprintf(`Went to status ERROR due to "Message: %s, Code: %d"`, s.Fault.Message, s.Fault.Code),
			}
		}
		return !found, nil
	})
}

func (h heatResources) serverAttributes(i hot.Item) (map[string]any, error) {
	s, err := record(h, servers, i)
	if err != nil {
		return nil, err
	}
	byNetwork, plain, first := map[string]any{}, map[string]any{}, ""
	addresses := h.c.addresses(s)
	for _, portID := range s.PortIDs {
		p, _ := state.Load(h.c.store, ports, portID)
		n, _ := state.Load(h.c.store, networks, p.NetworkID)
		var list, ips []any
		for _, a := range addresses[n.Name] {
			entry := map[string]any{
				"addr": a["addr"], "version": a["version"], "OS-EXT-IPS:type": a["OS-EXT-IPS:type"],
				"OS-EXT-IPS-MAC:mac_addr": a["OS-EXT-IPS-MAC:mac_addr"], "port": portID,
			}
			list, ips = append(list, entry), append(ips, a["addr"])
		}
		byNetwork[n.Name], byNetwork[n.ID] = list, list
		plain[n.Name], plain[n.ID] = ips, ips
		if first == "" && len(ips) > 0 {
			first = fmt.Sprint(ips[0])
		}
	}
	tagList, _ := state.Load(h.c.store, tags, s.ID)
	return map[string]any{
		"show": generic(h.c.serverView(s, minMicroversion)), "name": s.Name, "addresses": byNetwork, "networks": plain,
		"first_address": first, "instance_name": "instance-" + s.ID[:8], "accessIPv4": "", "accessIPv6": "",
		"console_urls": map[string]any{}, "tags": anys(tagList), "os_collect_config": map[string]any{},
	}, nil
}

func anys(list []string) []any {
	out := []any{}
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

func (h heatResources) createServerGroup(_ context.Context, i hot.Item) (string, error) {
	name, policy := str(i.Properties, "name"), "anti-affinity"
	if name == "" {
		name = i.FullName
	}
	if list := texts(i.Properties["policies"]); len(list) > 0 {
		policy = list[0]
	}
	g, err := h.c.createServerGroup(i.UID, i.ProjectID, i.UserID, name, policy)
	return g.ID, err
}

func (h heatResources) removeServerGroup(_ context.Context, i hot.Item) error {
	return state.Remove(h.c.store, serverGroups, i.ID())
}

func (h heatResources) serverGroupAttributes(i hot.Item) (map[string]any, error) {
	g, err := record(h, serverGroups, i)
	return map[string]any{"show": generic(h.c.serverGroupView(g, minMicroversion))}, err
}
