"""Runs commands of the openstack client for a test.

Each runs in a process of its own, as it would from a shell, forked from this one, which has imported the client already:
that takes most of a command's time. Requests and answers are lines of JSON.
"""

import importlib.metadata
import json
import os
import sys

from openstackclient import shell


def commands():
    """Imports what the commands of Tacker's client are made of, and returns their names by version of the API."""
    found = {}
    for version in ("1", "2"):
        points = importlib.metadata.entry_points(group="openstack.tackerclient.v" + version)
        for point in points:
            point.load()
        found[version] = sorted({point.name.replace("_", " ") for point in points})
    return found


def run(args, out, err):
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        for fd, name in ((0, os.devnull), (1, out), (2, err)):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), fd)
        code = shell.main(args)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


def main():
    print(json.dumps(commands()), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        code = run(request["args"], request["out"], request["err"])
        print(json.dumps({"code": code}), flush=True)


main()
