package openstack

import (
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
)

// Short forms for the table below. A U means that the property can be updated in place.
var (
	text    = hot.Property{Type: "string"}
	textU   = hot.Property{Type: "string", Updatable: true}
	textR   = hot.Property{Type: "string", Required: true}
	list    = hot.Property{Type: "list"}
	listU   = hot.Property{Type: "list", Updatable: true}
	mapping = hot.Property{Type: "map"}
	mapU    = hot.Property{Type: "map", Updatable: true}
	boolean = hot.Property{Type: "boolean"}
	boolU   = hot.Property{Type: "boolean", Updatable: true}
	integer = hot.Property{Type: "integer"}
	intU    = hot.Property{Type: "integer", Updatable: true}
)

func checked(p hot.Property, constraint string) hot.Property {
	p.Check = constraint
	return p
}

// mode6 is the property for an IPv6 address mode.
var mode6 = hot.Property{Type: "string", Allowed: addressModes}

// serverNetworks are the properties of a server's networks that Heat checks before it makes anything.
var serverNetworks = map[string]hot.Property{
	"network": checked(text, "neutron.network"), "uuid": checked(text, "neutron.network"),
	"subnet": checked(text, "neutron.subnet"),
}

var neutronAttributes = []string{"show", "name", "status", "tenant_id", "admin_state_up"}

// heatTypes are the resource types that make an object in the cloud. The lab accepts properties that it ignores
// (value_specs, QoS ...), because templates in use have them.
var heatTypes = map[string]hot.Schema{
	"OS::Nova::Server": {
		Properties: map[string]hot.Property{
			"name": textU, "image": checked(text, "glance.image"),
			"flavor":   checked(hot.Property{Type: "string", Required: true, Updatable: true}, "nova.flavor"),
			"networks": {Type: "list", Fields: serverNetworks, Updatable: true}, "key_name": checked(text, "nova.keypair"),
			"user_data": {}, "user_data_format": text, "user_data_update_policy": textU,
			"config_drive": boolean, "scheduler_hints": mapping, "metadata": mapU, "availability_zone": text,
			"block_device_mapping_v2": list,
			"block_device_mapping":    list, "security_groups": list, "admin_pass": textU, "admin_user": text, "diskConfig": text,
			"flavor_update_policy": textU,
			"image_update_policy":  textU, "personality": mapping, "reservation_id": text, "software_config_transport": textU,
			"tags": listU, "deployment_swift_data": mapU,
		},
		Attributes: []string{
			"show", "name", "addresses", "networks", "first_address", "instance_name", "accessIPv4",
			"accessIPv6", "console_urls", "tags", "os_collect_config",
		},
	},
	"OS::Nova::ServerGroup": {
		Properties: map[string]hot.Property{"name": text, "policies": list, "rules": mapping},
		Attributes: []string{"show"},
	},
	"OS::Nova::KeyPair": {
		Properties: map[string]hot.Property{
			"name": textR, "public_key": text, "save_private_key": boolean, "type": text, "user": text,
		},
		Attributes: []string{"show", "public_key", "private_key"},
	},
	"OS::Neutron::Net": {
		Properties: map[string]hot.Property{
			"name": textU, "admin_state_up": boolU, "shared": boolU,
			"port_security_enabled": boolU, "value_specs": mapU, "tenant_id": text, "dhcp_agent_ids": listU, "dns_domain": textU,
			"qos_policy": checked(textU, "neutron.qos_policy"), "tags": listU, "availability_zone_hints": list,
		},
		Attributes: append(slices.Clone(neutronAttributes), "subnets", "mtu", "port_security_enabled", "segments",
			"qos_policy_id"),
	},
	"OS::Neutron::Subnet": {
		Properties: map[string]hot.Property{
			"network": checked(text, "neutron.network"), "network_id": text, "name": textU, "cidr": text, "gateway_ip": textU,
			"enable_dhcp": boolU, "dns_nameservers": listU,
			"allocation_pools": listU, "ip_version": integer, "host_routes": listU, "tenant_id": text, "subnetpool": text,
			"prefixlen": integer, "ipv6_address_mode": mode6, "ipv6_ra_mode": mode6, "tags": listU, "value_specs": mapU,
		},
		Attributes: append(slices.Clone(neutronAttributes), "network_id", "cidr", "gateway_ip", "allocation_pools",
			"dns_nameservers", "enable_dhcp", "host_routes", "ip_version"),
	},
	"OS::Neutron::Port": {
		Properties: map[string]hot.Property{
			"network": checked(text, "neutron.network"), "network_id": text, "name": textU, "admin_state_up": boolU,
			"fixed_ips": listU, "mac_address": text, "allowed_address_pairs": listU, "security_groups": listU,
			"port_security_enabled": boolU, "device_id": textU, "device_owner": textU, "binding:vnic_type": textU,
			"value_specs": mapU, "replacement_policy": textU, "dns_name": textU,
			"qos_policy": checked(textU, "neutron.qos_policy"), "tags": listU, "no_fixed_ips": boolU,
			"propagate_uplink_status": boolU,
		},
		Attributes: append(slices.Clone(neutronAttributes), "id", "network_id", "network", "mac_address", "fixed_ips",
			"device_id", "device_owner", "security_groups",
			"subnets", "allowed_address_pairs", "port_security_enabled", "dns_assignment", "qos_policy_id"),
	},
	"OS::Neutron::Router": {
		Properties: map[string]hot.Property{
			"name": textU, "admin_state_up": boolU, "external_gateway_info": mapU,
			"value_specs": mapU, "ha": boolean, "distributed": boolean, "tags": listU,
		},
		Attributes: append(slices.Clone(neutronAttributes), "external_gateway_info"),
	},
	"OS::Neutron::RouterInterface": {
		Properties: map[string]hot.Property{
			"router": text, "router_id": text, "subnet": checked(text, "neutron.subnet"),
			"subnet_id": text, "port": text,
		}, Attributes: []string{"show"},
	},
	"OS::Neutron::FloatingIP": {
		Properties: map[string]hot.Property{
			"floating_network": checked(text, "neutron.network"), "floating_network_id": text, "floating_subnet": text,
			"floating_ip_address": text, "port_id": textU,
			"fixed_ip_address": textU, "value_specs": mapU, "dns_name": text, "dns_domain": text, "tags": listU,
		},
		Attributes: []string{
			"show", "router_id", "tenant_id", "floating_network_id", "fixed_ip_address",
			"floating_ip_address", "port_id", "status",
		},
	},
	"OS::Neutron::FloatingIPAssociation": {
		Properties: map[string]hot.Property{
			"floatingip_id": {Type: "string", Required: true, Updatable: true},
			"port_id":       textU, "fixed_ip_address": textU,
		}, Attributes: []string{"show"},
	},
	"OS::Neutron::SecurityGroup": {
		Properties: map[string]hot.Property{"name": textU, "description": textU, "rules": listU},
		Attributes: []string{"show", "name"},
	},
	"OS::Cinder::Volume": {
		Properties: map[string]hot.Property{
			"name": textU, "description": textU, "size": intU, "availability_zone": text,
			"volume_type": checked(textU, "cinder.vtype"), "metadata": mapU, "image": checked(text, "glance.image"),
			"snapshot_id": text, "source_volid": text, "scheduler_hints": mapping, "read_only": boolU, "backup_id": textU,
		},
		Attributes: []string{
			"show", "size", "status", "attachments", "attachments_list", "availability_zone", "display_name",
			"display_description", "volume_type", "metadata", "metadata_values", "bootable", "encrypted", "created_at",
			"source_volid", "snapshot_id", "multiattach",
		},
	},
	"OS::Cinder::VolumeAttachment": {
		Properties: map[string]hot.Property{
			"instance_uuid": {Type: "string", Required: true, Updatable: true},
			"volume_id":     {Type: "string", Required: true, Updatable: true}, "mountpoint": textU,
		},
		Attributes: []string{"show"},
	},
}

// allTypes are the types for everybody and those for administrators.
var allTypes = func() map[string]hot.Schema {
	all := maps.Clone(heatTypes)
	maps.Copy(all, adminTypes)
	return all
}()

// Schema describes a resource type.
func (heatResources) Schema(typ string) (hot.Schema, bool) {
	schema, known := allTypes[typ]
	return schema, known
}

// Types lists the resource types.
func (heatResources) Types() []string { return slices.Sorted(maps.Keys(allTypes)) }
