import json

dumps = json.dumps
loads = json.loads
load = json.load


def dump_as_bytes(value, **kwargs):
    return json.dumps(value, **kwargs).encode()
