# The names are Tacker's, because packages import them from here. The code is Windlass's own.

import copy

import windlass_objects


class Vnfd(object):
    """The VNFD of the flavour that is instantiated, and its templates."""

    def __init__(self, vnfd_id):
        self.vnfd_id = vnfd_id
        self.csar_dir = windlass_objects.TOLD["package"]

    def init_from_csar_dir(self, csar_dir):
        self.csar_dir = csar_dir

    def get_base_hot(self, flavour_id):
        return copy.deepcopy(windlass_objects.TOLD["hot"])

    def _nodes(self, *types):
        nodes = windlass_objects.TOLD["vnfd"].get("topology_template", {}).get("node_templates", {})
        return {name: copy.deepcopy(node) for name, node in nodes.items() if node.get("type") in types}

    def get_vdu_nodes(self, flavour_id):
        return self._nodes("tosca.nodes.nfv.Vdu.Compute")

    def get_storage_nodes(self, flavour_id):
        return self._nodes("tosca.nodes.nfv.Vdu.VirtualBlockStorage")

    def get_virtual_link_nodes(self, flavour_id):
        return self._nodes("tosca.nodes.nfv.VnfVirtualLink")

    def get_vducp_nodes(self, flavour_id):
        return self._nodes("tosca.nodes.nfv.VduCp")

    def get_vdu_storages(self, vdu_node):
        return [r["virtual_storage"] for r in vdu_node.get("requirements", []) if "virtual_storage" in r]

    def get_vdu_cps(self, flavour_id, vdu_name):
        return [name for name, node in self.get_vducp_nodes(flavour_id).items()
                if any(r.get("virtual_binding") == vdu_name for r in node.get("requirements", []))]

    def get_compute_flavor(self, flavour_id, vdu_name):
        return windlass_objects.TOLD["flavours"].get(vdu_name)

    def get_sw_image(self, flavour_id):
        out = {}
        nodes = self._nodes("tosca.nodes.nfv.Vdu.Compute", "tosca.nodes.nfv.Vdu.VirtualBlockStorage")
        for name, node in nodes.items():
            data = node.get("properties", {}).get("sw_image_data") or {}
            if "name" in data:
                out[name] = data["name"]
        for vdu, node in self.get_vdu_nodes(flavour_id).items():  # templates name storages with their VDUs, too
            for storage in self.get_vdu_storages(node):
                if storage in out:
                    out.setdefault("%s-%s" % (vdu, storage), out[storage])
        return out
