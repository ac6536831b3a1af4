"""Hands ports on to the stack as they are described in the request, and lays nfv of the request over them."""

from tacker.sol_refactored.common import common_script_utils
from tacker.sol_refactored.common import vnf_instance_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils


class Ports(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = common_script_utils.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        nfv = common_script_utils.init_nfv_dict(vnfd.get_base_hot(req["flavourId"])["template"])
        for name, vdu in nfv["VDU"].items():
            vdu["computeFlavourId"] = common_script_utils.get_param_flavor(name, req["flavourId"], vnfd, grant)
            vdu["vcImageId"] = common_script_utils.get_param_image(name, req["flavourId"], vnfd, grant)
        for link in req["extVirtualLinks"]:
            described = {port["id"]: port["resourceHandle"]["resourceId"] for port in link.get("extLinkPorts", [])}
            for cp in link["extCps"]:
                for config in cp["cpConfig"].values():
                    nfv["CP"][cp["cpdId"]]["port"] = described[config["linkPortId"]]
        return {"parameters": {"nfv": vnf_instance_utils.json_merge_patch(nfv, req["additionalParams"].get("nfv", {}))}}
