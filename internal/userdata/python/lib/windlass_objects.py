"""What Windlass tells a user data class, in the forms in which Tacker has it."""

import copy
import re

TOLD = {}


class Thing(object):
    """A JSON object with its members as attributes in snake case; a member that is not there is None."""

    def __init__(self, members):
        self.__dict__.update({re.sub("(?<=[a-z0-9])([A-Z])", r"_\1", k).lower(): of(v) for k, v in members.items()})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def get(self, name, default=None):
        return self.__dict__.get(name, default)


def of(value):
    if isinstance(value, dict):
        return Thing(value)
    if isinstance(value, list):
        return [of(item) for item in value]
    return value


def base_hot_dict():
    """The nested templates by their names, and the top template as heat_template."""
    hot = TOLD["hot"]
    return dict(copy.deepcopy(hot["files"]), heat_template=copy.deepcopy(hot["template"]))


def request_v1():
    """InstantiateVnfRequest of v1: an object whose additional_params is a dict."""
    request = copy.deepcopy(TOLD["request"])
    params = request.pop("additionalParams", {})
    for link in request.get("extVirtualLinks", []):
        for cp in link["extCps"]:
            cp["cpConfig"] = list(cp.get("cpConfig", {}).values())
    connections = request.get("vimConnectionInfo", {})
    request["vimConnectionInfo"] = [dict(v, id=k) for k, v in connections.items()]
    out = Thing(request)
    out.additional_params = params
    return out


def grant_info():
    """The images that are in the VIM, by VDU."""
    return {vdu: [Thing({"resourceIdentifier": image})] for vdu, image in (TOLD["images"] or {}).items()}
