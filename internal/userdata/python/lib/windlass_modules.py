"""Says which module a script lacks. Of Tacker and of OpenStack's libraries Windlass has only a part."""

import re

OURS = ("tacker", "oslo_log", "oslo_serialization")


def missing(error):
    """A sentence about the module that an import did not find; "" if it is none of Tacker's."""
    if not isinstance(error, ImportError):
        return ""
    name = error.name or ""
    part = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    if part:
        name = part.group(2) + "." + part.group(1)
    top = name.split(".")[0]
    if top not in OURS and not top.startswith("oslo_"):
        return ""
    return "Windlass has no module %s: it has only those modules of Tacker that its page about scripts lists" % name
