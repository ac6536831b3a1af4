"""Runs one user data class of a VNF package.

What to do comes on standard input, the answer goes to standard output, both as JSON. The process is
confined before Python starts: no network, no other process, nothing to read but Python and the package.
"""

import importlib
import inspect
import json
import os
import sys
import traceback


def last_line(error, package):
    """The last line of a traceback, with the last place in the package before it."""
    lines = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(package + "/"):
            where = "%s:%s: " % (frame.filename[len(package) + 1:], frame.lineno)
    said = importlib.import_module("windlass_modules").missing(error)
    return where + (said or (lines[-1] if lines else type(error).__name__))


def interface(method):
    """Which of Tacker's two interfaces a method instantiate() has, by its parameters."""
    names = list(inspect.signature(method).parameters)
    if "base_hot_dict" in names or len(names) == 4:
        return 1
    if "tmp_csar_dir" in names or len(names) == 5:
        return 2
    raise TypeError("instantiate() takes neither the 4 arguments of Tacker's v1 nor the 5 of its v2")


def run(told):
    sys.path.insert(0, told["lib"])
    sys.path.append(told["package"])
    try:
        import yaml  # noqa: F401
    except ImportError:
        sys.modules["yaml"] = importlib.import_module("windlass_yaml")
    objects = importlib.import_module("windlass_objects")
    objects.TOLD = told
    module = importlib.import_module(os.path.splitext(told["path"])[0].replace("/", "."))
    method = getattr(module, told["class"]).instantiate
    if interface(method) == 1:
        made = method(objects.base_hot_dict(), told["vnfd"], objects.request_v1(), objects.grant_info())
        if not isinstance(made, dict):
            return {"failure": "type", "line": type(made).__name__}
        return {"parameters": made}
    made = method(told["request"], told["instance"], told["grantRequest"], told["grant"], told["package"])
    if not isinstance(made, dict) or not isinstance(made.get("parameters", {}), dict):
        return {"failure": "type", "line": type(made).__name__}
    return {"parameters": made.get("parameters", {}), "template": made.get("template"), "files": made.get("files")}


def main():
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the script prints is no answer
    answer.write("ready\n")
    answer.flush()
    told = json.load(sys.stdin)
    try:
        text = json.dumps(run(told))
    except MemoryError:
        text = '{"failure": "memory"}'
    except BaseException as error:  # also SystemExit: an end without an answer is a failure
        text = json.dumps({"failure": "exception", "line": last_line(error, told["package"])})
    answer.write(text)
    answer.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
