# The names are Tacker's, because packages import them from here. The code is Windlass's own.
"""What user data classes of v2 use to make the parameter nfv, under the names that Tacker has for it."""

from tacker.sol_refactored.common import vnfd_utils


def get_vnfd(vnfd_id, csar_dir):
    definition = vnfd_utils.Vnfd(vnfd_id)
    definition.init_from_csar_dir(csar_dir)
    return definition


def init_nfv_dict(hot_template):
    """An entry without value for each place of nfv that the template takes."""
    nfv = {}

    def look(value):
        if isinstance(value, dict):
            path = value.get("get_param")
            if isinstance(path, list) and len(path) >= 4 and path[0] == "nfv":
                entry = nfv
                for key in path[1:-1]:
                    entry = entry.setdefault(key, {})
                entry.setdefault(path[-1], None)
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)

    for resource in hot_template.get("resources", {}).values():
        look(resource.get("properties", {}))
    return nfv


def _asset(grant, kind, described, name, chosen):
    for asset in grant.get("vimAssets", {}).get(kind, []):
        if asset[described] == name:
            return asset[chosen]
    return None


def get_param_flavor(vdu_name, flavour_id, vnfd, grant):
    granted = _asset(grant, "computeResourceFlavours", "vnfdVirtualComputeDescId", vdu_name, "vimFlavourId")
    return granted or vnfd.get_compute_flavor(flavour_id, vdu_name)


def get_param_image(vdu_name, flavour_id, vnfd, grant, fallback_vnfd=True):
    granted = _asset(grant, "softwareImages", "vnfdSoftwareImageId", vdu_name, "vimSoftwareImageId")
    if granted or not fallback_vnfd:
        return granted
    return vnfd.get_sw_image(flavour_id).get(vdu_name)


def _zone(grant, resource):
    for zone in grant.get("zones", []):
        if zone["id"] == resource.get("zoneId"):
            return zone["zoneId"]
    return None


def get_param_zone(vdu_name, grant_req, grant):
    asked = {res["id"]: res.get("resourceTemplateId") for res in grant_req.get("addResources", [])}
    for resource in grant.get("addResources", []):
        if asked.get(resource["resourceDefinitionId"]) == vdu_name and "zoneId" in resource:
            return _zone(grant, resource)
    return None


def get_param_zone_by_vnfc(res_id, grant):
    for resource in grant.get("addResources", []):
        if resource["resourceDefinitionId"] == res_id:
            return _zone(grant, resource)
    return None


def get_current_capacity(vdu_name, inst):
    vnfcs = inst.get("instantiatedVnfInfo", {}).get("vnfcResourceInfo", [])
    return len([vnfc for vnfc in vnfcs if vnfc["vduId"] == vdu_name])


def get_param_capacity(vdu_name, inst, grant_req):
    def count(key):
        return len([res for res in grant_req.get(key, []) if res["type"] == "COMPUTE" and res["resourceTemplateId"] == vdu_name])

    return get_current_capacity(vdu_name, inst) + count("addResources") - count("removeResources")


def _ext_cp(cp_name, links):
    for link in links:
        for cp in link["extCps"]:
            if cp["cpdId"] == cp_name:
                return link, cp
    return None, None


def _ext_links(grant, req):
    return grant.get("extVirtualLinks", []) + req.get("extVirtualLinks", [])


def get_param_network(cp_name, grant, req):
    link, _ = _ext_cp(cp_name, _ext_links(grant, req))
    return link and link["resourceId"]


def get_param_fixed_ips(cp_name, grant, req):
    _, cp = _ext_cp(cp_name, _ext_links(grant, req))
    if cp is None:
        return None
    out = []
    for config in cp.get("cpConfig", {}).values():
        for data in config.get("cpProtocolData", []):
            for ip in data.get("ipOverEthernet", {}).get("ipAddresses", []):
                one = {}
                if ip.get("fixedAddresses"):
                    one["ip_address"] = str(ip["fixedAddresses"][0])
                if "subnetId" in ip:
                    one["subnet"] = ip["subnetId"]
                if one:
                    out.append(one)
    return out


def apply_ext_managed_vls(hot_dict, req, grant):
    """Nothing to do: Windlass has put the networks into the template already."""
