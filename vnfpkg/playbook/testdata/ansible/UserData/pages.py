"""Parameters of the Base HOT: the flavour and the image of the servers, from the VNFD."""

import tacker.vnfm.lcm_user_data.utils as found

from tacker.vnfm.lcm_user_data.abstract_user_data import AbstractUserData


class Pages(AbstractUserData):
    @staticmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        wanted = found.create_initial_param_server_port_dict(base_hot_dict)
        filled = found.create_final_param_dict(
            wanted,
            found.create_vdu_flavor_capability_name_dict(vnfd_dict),
            found.create_sw_image_dict(vnfd_dict),
            found.create_network_dict(inst_req_info, wanted),
        )
        return {**filled, **found.get_diff_base_hot_param_from_api(base_hot_dict, inst_req_info)}
