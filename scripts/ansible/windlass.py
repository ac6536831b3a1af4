# Ansible's standard output for Windlass: one plain line for each thing that happens, and at the end, for each host that
# failed, a line that programs read (see scripts/results.go). It is sent along with every run, and works with ansible-core
# 2.12 to 2.18. What a task hides with no_log stays hidden, and so do the values of variables whose names speak of
# passwords, tokens or secrets.
import base64
import json
import os
import re
import threading
import time

from ansible.playbook.task_include import TaskInclude
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
    name: windlass
    type: stdout
    short_description: one line for each event
    description:
      - Prints plays, tasks and what they do on hosts, one line each, and what failed in a form for programs.
"""

SECRET_NAMES = ("pass", "token", "secret")
NO_NAMES = ("file", "path", "dir", "mode", "name", "ttl")  # where they end so, they speak of where a secret is
NO_SECRETS = ("true", "false", "none", "null")
SHORTEST_SECRET = 4
LONGEST_MESSAGE = 300
TIMED_OUT = 124  # the status of timeout(1) when it has ended its command


def one_line(text, limit=None):
    """The text without line ends and control characters, cut to limit. The reason often stands at the end."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    if limit and len(line) > limit:
        begin = limit // 3
        line = line[:begin] + " ... " + line[begin + 5 - limit :]
    return line


def says_secret(name):
    name = str(name).lower()
    return any(word in name for word in SECRET_NAMES) and not name.endswith(NO_NAMES) and name != "getent_passwd"


def texts(value):
    """All texts in a value, however deep."""
    if isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, (list, tuple, set)):
        for part in value:
            yield from texts(part)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    else:
        yield str(value)


def secrets_in(value):
    """The texts that stand below a name that speaks of a secret."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from texts(part) if says_secret(name) else secrets_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from secrets_in(part)


# Lines that say nothing of a failure: information and warnings in the form of Kubernetes' log, kubeadm's warnings, and
# how to see more or to pass over what kubeadm has found.
BESIDE = re.compile(
    r"[IW]\d{4} \d\d:\d\d:\d\d\.\d+ |\[WARNING |To see the stack trace|\[preflight\] If you know what you are doing"
)


def last_line(text):
    """The last line that says something, or all lines with which kubeadm says what it has found."""
    lines = [line for line in map(str.strip, str(text).splitlines()) if line and not BESIDE.match(line)]
    found = [line for line in lines if line.startswith("[ERROR ")]
    return "; ".join(found or lines[-1:])


def last_words(result):
    """The last line that a command has printed, of its errors if there is one. Ansible says only that it has failed."""
    words = last_line(result.get("stderr") or "") or last_line(result.get("stdout") or "")
    command = result.get("cmd") or []
    if result.get("rc") == TIMED_OUT and "timeout" in (command.split() if isinstance(command, str) else command)[:1]:
        words = "it did not end in the time that it had; its last words: %s" % (words or "none")
    return words


def delegated_to(said, result):
    """The host, or its address, that a task has run on in another's place. Of a loop, Ansible tells only the template."""
    if not said or "{{" not in str(said):
        return said or ""
    for part in [result] + [r for r in result.get("results") or [] if isinstance(r, dict)]:
        told = part.get("_ansible_delegated_vars") or {}
        place = told.get("ansible_delegated_host") or told.get("ansible_host")
        if place:
            return place
    return ""


def message_of(result):
    """Why a task failed, as Ansible says it, with what tells more where that is only a number."""
    if "censored" in result:
        return "no_log hides why"
    said = result.get("msg", "")
    if not isinstance(said, str):
        said = json.dumps(said, default=str)
    if "REMOTE HOST IDENTIFICATION HAS CHANGED" in said or "Host key verification failed" in said:
        return "the server shows another SSH host key than the one that Windlass has pinned for it"
    items = [r for r in result.get("results") or [] if isinstance(r, dict) and (r.get("failed") or r.get("unreachable"))]
    if items:
        name = items[0].get("_ansible_item_label", items[0].get("item", ""))
        return "%s: %s" % (name, message_of(items[0]))
    if said.startswith("MODULE FAILURE"):
        more = last_line(result.get("module_stderr") or result.get("module_stdout") or "")
    elif said in ("", "non-zero return code") or "rc" in result:
        more = last_words(result)
    else:
        more = result.get("assertion", "")
    if more and str(more) not in said:
        said = "%s: %s" % (said, more) if said else str(more)
    return said or "it does not say why"


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "windlass"

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        self.play = self.play_name = None
        self.task, self.since, self.said_at = None, 0.0, 0.0
        self.names = {}  # of tasks, by their ids: only when one begins its name is filled in
        self.busy = {}  # hosts that a task runs on, in the order in which they began
        self.failures = {}  # the last failure of each host
        self.secrets = set()
        self.hosts = set()  # names that stay readable, whatever else has such a name
        self.interval = float(os.environ.get("WINDLASS_HEARTBEAT", "60"))
        self.shows = os.environ.get("WINDLASS_SHOW_DEBUG") == "yes"  # kubespray's are too many
        threading.Thread(target=self.beat, daemon=True).start()

    # What is printed. It does not go through sys.stdout, whose lock a worker that is forked now would inherit.

    def say(self, line):
        rest = (self.masked(one_line(line)) + "\n").encode()
        with self.lock:
            while rest:
                rest = rest[os.write(1, rest):]

    def tell(self, key, fields):
        text = base64.b64encode(json.dumps(fields).encode()).decode()
        with self.lock:
            os.write(1, ("windlass-result: %s=%s\n" % (key, text)).encode())

    def beat(self):
        while True:
            time.sleep(min(1.0, self.interval / 4))
            now = time.monotonic()
            task, hosts = self.task, list(self.busy)
            if task and hosts and now - self.said_at >= self.interval:
                self.said_at = now
                self.say("TASK [%s]: still at %s after %ds" % (task, ", ".join(hosts), round(now - self.since)))

    # Secrets.

    def learn(self, *values):
        for value in values:
            for text in secrets_in(value):
                if "{{" in text:
                    continue
                for part in [text] + text.splitlines():
                    if len(part.strip()) >= SHORTEST_SECRET and part.lower() not in NO_SECRETS:
                        self.secrets.add(one_line(part))

    def masked(self, line):
        for secret in sorted(self.secrets, key=len, reverse=True):
            if secret not in self.hosts:
                line = line.replace(secret, "***")
        return line

    def learn_variables(self, result):
        """All variables that the failed task could see, templates filled in as far as that has no effects."""
        from ansible.template import Templar

        try:
            variables = self.play.get_variable_manager().get_vars(
                play=self.play, host=result._host, task=result._task
            )
            self.learn(variables)
            templar = Templar(loader=self.play.get_loader(), variables=variables)
            for name, value in variables.items():
                if says_secret(name) and isinstance(value, (str, list, dict)):
                    filled = templar.template(value, fail_on_undefined=False, disable_lookups=True)
                    self.learn({name: filled})
        except Exception:  # a variable that cannot be had is in no message either
            return

    # Plays and tasks.

    def v2_playbook_on_play_start(self, play):
        self.play, self.play_name = play, one_line(play.get_name())
        manager = play.get_variable_manager()
        self.learn(manager.extra_vars)
        inventory = getattr(manager, "_inventory", None)
        if inventory is not None:
            self.hosts.update(host.get_name() for host in inventory.get_hosts())
            self.learn(*[host.get_vars() for host in inventory.get_hosts()])
            self.learn(*[group.get_vars() for group in inventory.groups.values()])
        self.say("PLAY [%s]" % self.play_name)

    def begin(self, task):
        self.busy.clear()
        self.task = self.names[task._uuid] = self.masked(one_line(task.get_name()))
        self.since = self.said_at = time.monotonic()
        self.say("TASK [%s]" % self.task)

    def v2_playbook_on_task_start(self, task, is_conditional):
        self.begin(task)

    def v2_playbook_on_handler_task_start(self, task):
        self.begin(task)

    def v2_playbook_on_cleanup_task_start(self, task):
        self.begin(task)

    def v2_runner_on_start(self, host, task):
        self.busy[host.get_name()] = True

    def asked(self, name, question):
        """Nobody is there to answer: Ansible takes the default, or an empty line."""
        question = one_line(self.masked(one_line(question)), LONGEST_MESSAGE)
        self.say("QUESTION [%s]: %s" % (name, question))
        self.tell("asked", {"name": name, "text": question})

    def v2_playbook_on_vars_prompt(self, varname, private=True, prompt=None, *others, **more):
        self.asked(str(varname), prompt or varname)

    def v2_playbook_on_no_hosts_matched(self):
        self.say("no host matches this play")

    def v2_playbook_on_no_hosts_remaining(self):
        self.say("no host is left for this play")

    # What became of a task on a host.

    def ended(self, result, word, why=None):
        host = result._host.get_name()
        self.busy.pop(host, None)
        self.said_at = time.monotonic()
        fields = result._result
        self.learn(fields)
        register = result._task.register
        if register and says_secret(register):
            self.learn({register: [fields.get("stdout"), fields.get("content"), fields.get("msg")]})
        if word is None:
            return
        if why is None:
            self.say("%s: %s" % (host, word))
            return
        self.learn_variables(result)
        place = delegated_to(result._task_fields.get("delegate_to"), fields)
        if place and place != host:
            why = "on %s: %s" % (place, why)
        # The secrets of a text that is cut could not be found any more.
        why = one_line(self.masked(one_line(why)), LONGEST_MESSAGE)
        self.say("%s: %s: %s" % (host, word, why))
        if word in ("FAILED", "UNREACHABLE"):
            self.failures[host] = {
                "host": host, "task": self.names.get(result._task._uuid, self.task), "play": self.masked(self.play_name),
                "message": why, "unreachable": word == "UNREACHABLE",
            }
            if result._task_fields.get("become"):
                self.failures[host]["become"] = True

    def v2_runner_on_ok(self, result):
        task, changed = result._task, result._result.get("changed", False)
        included = isinstance(task, TaskInclude)
        args = result._task_fields.get("args") or {}
        if task.action.split(".")[-1] == "pause" and "prompt" in args and not ("seconds" in args or "minutes" in args):
            self.asked(self.names.get(task._uuid, self.task), args["prompt"])
        shown = None
        if self.shows and task.action.split(".")[-1] == "debug":
            self.learn_variables(result)
            shown = message_of(result._result)
        self.ended(result, None if included else "changed" if changed else "ok", shown)

    def v2_runner_on_skipped(self, result):
        self.ended(result, None)  # of a thousand tasks most are skipped; the recap counts them

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.ended(result, "failed, which is ignored" if ignore_errors else "FAILED", message_of(result._result))

    def v2_runner_on_unreachable(self, result):
        self.ended(result, "UNREACHABLE", message_of(result._result))

    def v2_runner_retry(self, result):
        left = result._result.get("retries", 0) - result._result.get("attempts", 0)
        self.learn_variables(result)
        self.learn(result._result)
        self.said_at = time.monotonic()
        why = one_line(self.masked(one_line(message_of(result._result))), LONGEST_MESSAGE)
        self.say("%s: retrying, %d tries left: %s" % (result._host.get_name(), left, why))

    # The end.

    def v2_playbook_on_stats(self, stats):
        self.task = None
        words = ("ok", "changed", "unreachable", "failures", "skipped", "rescued", "ignored")
        failed = []
        for host in sorted(stats.processed):
            counts = stats.summarize(host)
            self.say("RECAP %s: %s" % (host, " ".join("%s=%d" % (word, counts[word]) for word in words)))
            if counts["failures"] or counts["unreachable"]:
                failed.append(host)
        for host in failed:
            if host in self.failures:
                self.tell("failed", self.failures[host])
