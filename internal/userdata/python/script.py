"""Runs one script that a VNF package names at a hook of an operation, as Tacker's v2 runs it.

The script reads a pickled dict on standard input, and may answer with a pickled dict on standard output. What to do
comes on this program's own standard input, and what has become of it goes to its standard output, both as JSON. What
the script prints besides goes to standard error. The process is confined before Python starts.
"""

import importlib
import io
import json
import os
import pickle
import runpy
import sys
import threading
import traceback

MOST = 4 << 20  # bytes of an answer

leave = os._exit


class Left(SystemExit):
    """The script has ended itself, as those of Tacker do."""


def ends(code=0):
    raise Left(code)


def give(fd, data):
    """Writes all of it: a pipe has less room, and the script may not read it."""
    try:
        with os.fdopen(fd, "wb") as pipe:
            pipe.write(data)
    except OSError:
        return


def take(fd, into):
    with os.fdopen(fd, "rb", buffering=0) as pipe:
        while True:
            part = pipe.read(65536)
            if not part:
                return
            if into.tell() <= MOST:
                into.write(part)


def pipes(given):
    """Puts pipes in the places of standard input and output."""
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    threading.Thread(target=give, args=(writing, pickle.dumps(given)), daemon=True).start()
    out, made = os.pipe()
    os.dup2(made, 1)
    os.close(made)
    said = io.BytesIO()
    taker = threading.Thread(target=take, args=(out, said), daemon=True)
    taker.start()
    sys.stdin = os.fdopen(0, "r", closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    return said, taker


def code_of(left):
    if left.code is None:
        return 0
    if isinstance(left.code, int):
        return left.code
    print(left.code, file=sys.stderr)
    return 1


def print_missing(error):
    """Ends the output with the reason, if the script imports a module that Windlass does not have."""
    said = importlib.import_module("windlass_modules").missing(error)
    if said:
        print(said, file=sys.stderr)


def stand_in_for_yaml():
    try:
        importlib.import_module("yaml")
    except ImportError:
        sys.modules["yaml"] = importlib.import_module("windlass_yaml")


def execute(told):
    script = os.path.join(told["package"], told["path"])
    sys.argv = [script]
    sys.path[0] = os.path.dirname(script)
    sys.path.append(told["lib"])
    stand_in_for_yaml()
    os._exit = ends
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as left:
        return code_of(left)
    except MemoryError:
        print("the script needs more memory than it may have", file=sys.stderr)
        return 1
    except BaseException as error:
        traceback.print_exc()
        print_missing(error)
        return 1
    finally:
        os._exit = leave
    return 0


def answered(data, given):
    """What of the script's answer counts; what is no pickle is text that it has printed."""
    try:
        made = pickle.loads(data)
    except Exception:
        sys.stderr.write(data[:65536].decode("utf-8", "replace"))
        return {}
    if not isinstance(made, dict):
        return {}
    out = {}
    kept = made.get("user_script_err_handling_data")
    if isinstance(kept, dict):
        out["kept"] = kept
    instance = made.get("vnf_instance")
    out["changed"] = instance is not None and instance != given.get("vnf_instance")
    return out


def main():
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    answer.write("ready\n")
    answer.flush()
    told = json.load(sys.stdin)
    given = dict(told["given"], tmp_csar_dir=told["package"])
    if "new_package" in told:
        given["new_csar_dir"] = told["new_package"]
    before = pickle.loads(pickle.dumps(given))
    said, taker = pipes(given)
    code = execute(told)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        pass
    os.dup2(2, 1)  # the pipe has no other end for writing now
    taker.join(10)
    out = answered(said.getvalue(), before) if said.getvalue() else {}
    out["code"] = code
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        pass
    answer.write(json.dumps(out, default=str))
    answer.flush()
    leave(0)


if __name__ == "__main__":
    main()
