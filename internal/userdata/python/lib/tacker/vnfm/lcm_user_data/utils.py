# The names are Tacker's, because packages import them from here. The code is Windlass's own.
"""What user data classes of v1 use to make the parameter nfv, under the names that Tacker has for it."""

import copy

import windlass_objects
from tacker.common.utils import MemoryUnit

HOT_NOVA_SERVER = "OS::Nova::Server"
HOT_NOVA_FLAVOR = "OS::Nova::Flavor"
HOT_NEUTRON_PORT = "OS::Neutron::Port"
HOT_CINDER_VOLUME = "OS::Cinder::Volume"
AUTO_SCALING_GROUP = "OS::Heat::AutoScalingGroup"
SUPPORTED_HOT_TYPE = [HOT_NOVA_SERVER, HOT_NOVA_FLAVOR, HOT_NEUTRON_PORT, HOT_CINDER_VOLUME]
PORT_SERVER_TYPE = [HOT_NOVA_SERVER, HOT_NEUTRON_PORT, HOT_CINDER_VOLUME]


def _entries(base_hot_dict, types):
    """An empty entry for each VDU and connection point that a template takes by [nfv, kind, name, key]."""
    out = {"VDU": {}, "CP": {}}

    def look(value):
        if isinstance(value, dict):
            path = value.get("get_param")
            if isinstance(path, list) and len(path) == 4 and path[0] == "nfv" and path[1] in out:
                out[path[1]].setdefault(path[2], {})
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)

    for hot in base_hot_dict.values():
        if not hot.get("parameters", {}).get("nfv"):
            continue
        for resource in hot.get("resources", {}).values():
            if resource.get("type") in types:
                look(resource.get("properties", {}))
            elif resource.get("type") == AUTO_SCALING_GROUP:
                look(resource.get("properties", {}).get("resource", {}))
    return {"nfv": out}


def create_initial_param_dict(base_hot_dict):
    return _entries(base_hot_dict, SUPPORTED_HOT_TYPE)


def create_initial_param_server_port_dict(base_hot_dict):
    return _entries(base_hot_dict, PORT_SERVER_TYPE)


def create_final_param_dict(param_dict, vdu_flavor_dict, vdu_image_dict, cpd_vl_dict):
    out = copy.deepcopy(param_dict)
    for vdu, entry in out.get("nfv", {}).get("VDU", {}).items():
        entry["flavor"] = vdu_flavor_dict.get(vdu)
        entry["image"] = vdu_image_dict.get(vdu)
    for cp, entry in out.get("nfv", {}).get("CP", {}).items():
        data = (cpd_vl_dict or {}).get(cp)
        if isinstance(data, dict):
            entry.update(copy.deepcopy({key: data[key] for key in ("network", "fixed_ips") if key in data}))
    return out


def _nodes(vnfd_dict):
    return vnfd_dict.get("topology_template", {}).get("node_templates", {}).items()


def _compute(node):
    return node.get("capabilities", {}).get("virtual_compute", {}).get("properties", {})


def create_vdu_flavor_dict(vnfd_dict):
    out = {}
    for name, node in _nodes(vnfd_dict):
        properties = _compute(node)
        if not properties:
            continue
        out[name] = {}
        if "virtual_cpu" in properties:
            out[name]["vcpus"] = properties["virtual_cpu"]["num_virtual_cpu"]
        if "virtual_memory" in properties:
            out[name]["ram"] = MemoryUnit.convert_unit_size_to_num(properties["virtual_memory"]["virtual_mem_size"], "MiB")
        if properties.get("virtual_local_storage"):
            out[name]["disk"] = MemoryUnit.convert_unit_size_to_num(properties["virtual_local_storage"][0]["size_of_storage"], "GiB")
    return out


def create_vdu_flavor_capability_name_dict(vnfd_dict):
    key, out = "requested_additional_capability_name", {}
    for name, node in _nodes(vnfd_dict):
        capabilities = _compute(node).get("requested_additional_capabilities", {})
        for capability in capabilities.values():  # one, named properties, in Tacker's packages; a map in SOL001
            if isinstance(capability, dict) and key in capability:
                out.setdefault(name, capability[key])
    return out


def create_sw_image_dict(vnfd_dict):
    out = {}
    for name, node in _nodes(vnfd_dict):
        data = node.get("properties", {}).get("sw_image_data") or {}
        if "name" in data:
            out[name] = data["name"]
    return out


def create_vdu_image_dict(grant_info):
    return {vdu: resources[-1].resource_identifier for vdu, resources in grant_info.items() if resources}


def create_cpd_vl_dict(base_hot_dict, inst_req_info):
    out = {}
    for link in inst_req_info.ext_virtual_links or []:
        for cp in link.ext_cps:
            if any(cp.cpd_id in hot.get("resources", {}) for hot in base_hot_dict.values()):
                out[cp.cpd_id] = link.resource_id
    return out


def create_network_dict(inst_req_info, param_dict):
    wanted = param_dict.get("nfv", {}).get("CP", {})
    out = {}
    for link in inst_req_info.ext_virtual_links or []:
        for cp in link.ext_cps:
            if cp.cpd_id in wanted:
                out[cp.cpd_id] = {"network": link.resource_id, "fixed_ips": _fixed_ips(cp)}
    return out


def _fixed_ips(cp):
    out = []
    for config in cp.cp_config or []:
        for data in config.cp_protocol_data or []:
            for ip in (data.ip_over_ethernet.ip_addresses if data.ip_over_ethernet else None) or []:
                one = {}
                if ip.subnet_id:
                    one["subnet"] = ip.subnet_id
                if ip.fixed_addresses:
                    one["ip_address"] = ip.fixed_addresses[-1]
                if one:
                    out.append(one)
    return out


def get_diff_base_hot_param_from_api(base_hot_dict, inst_req_info):
    given = inst_req_info.additional_params or {}
    declared = base_hot_dict["heat_template"].get("parameters") or {}
    return {name: given[name] for name in declared if given.get(name)}


def create_desired_capacity_dict(base_hot_dict, vnfd_dict, inst_req_info):
    """How many VNFCs each scaling aspect has; Windlass knows the operation that this is for."""
    return dict(windlass_objects.TOLD["capacity"])


get_desired_capacity_dict = create_desired_capacity_dict
