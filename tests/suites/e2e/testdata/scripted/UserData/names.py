"""User data of Tacker's v1 form: it names the servers, and does first what the request wants it to do."""

import os
import socket
import subprocess
import time

import tacker.vnfm.lcm_user_data.utils as UserDataUtil
from tacker.vnfm.lcm_user_data.abstract_user_data import AbstractUserData


def misbehave(how, params):
    if how == "connect":
        socket.create_connection(("127.0.0.1", int(params["port"])), 5).close()
    elif how == "write":
        with open(params["file"], "w") as out:
            out.write("was here")
    elif how == "read":
        with open(params["file"]) as secret:
            raise ValueError(secret.read())
    elif how == "look around":
        with open("/proc/%d/environ" % os.getppid()) as environ:
            raise ValueError(environ.read())
    elif how == "start a program":
        subprocess.run(["/bin/true"])
    elif how == "tell the password":
        raise ValueError("the password is " + params["password"])
    elif how == "run forever":
        time.sleep(86400)


class Names(AbstractUserData):
    @staticmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        params = inst_req_info.additional_params
        misbehave(params.get("first"), params)
        initial = UserDataUtil.create_initial_param_dict(base_hot_dict)
        made = UserDataUtil.create_final_param_dict(
            initial,
            UserDataUtil.create_vdu_flavor_capability_name_dict(vnfd_dict),
            UserDataUtil.create_sw_image_dict(vnfd_dict),
            UserDataUtil.create_network_dict(inst_req_info, initial))
        made["server_name"] = "%s-of-%s" % (params["rack"], inst_req_info.flavour_id)
        return made
