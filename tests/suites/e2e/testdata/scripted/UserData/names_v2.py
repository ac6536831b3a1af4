"""User data of Tacker's v2 form."""

from tacker.sol_refactored.common import common_script_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils


class Names(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        flavour_id = req["flavourId"]
        vnfd = common_script_utils.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        hot = vnfd.get_base_hot(flavour_id)["template"]
        nfv = common_script_utils.init_nfv_dict(hot)
        for name, vdu in nfv["VDU"].items():
            vdu["flavor"] = common_script_utils.get_param_flavor(name, flavour_id, vnfd, grant)
            vdu["image"] = common_script_utils.get_param_image(name, flavour_id, vnfd, grant)
            vdu["desired_capacity"] = common_script_utils.get_param_capacity(name, inst, grant_req)
        for name, cp in nfv["CP"].items():
            cp["network"] = common_script_utils.get_param_network(name, grant, req)
        name = "%s-of-%s" % (inst["vnfInstanceName"], flavour_id)
        return {"parameters": {"nfv": nfv, "server_name": name}}
