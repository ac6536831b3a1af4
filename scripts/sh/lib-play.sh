# shellcheck shell=bash
# Shared by the Ansible server, where a script has made the directory, and by the worker, where Windlass itself has.

# play DIRECTORY PLAYBOOK runs a playbook of DIRECTORY/package with what stands beside it: in.inventory, in.variables,
# in.known_hosts, in.key where there is one, and callback/windlass.py.
play() {
  local dir=$1 file=$1/package/$2 keys rc=0
  [[ -f $file ]] || fail 65 "the package has no playbook $2"
  keys="-o UserKnownHostsFile=$dir/in.known_hosts -o GlobalKnownHostsFile=/dev/null -o StrictHostKeyChecking=yes"
  export ANSIBLE_CALLBACK_PLUGINS=$dir/callback ANSIBLE_STDOUT_CALLBACK=windlass ANSIBLE_CALLBACKS_ENABLED=windlass
  export ANSIBLE_NOCOLOR=1 ANSIBLE_DEPRECATION_WARNINGS=False ANSIBLE_RETRY_FILES_ENABLED=False PYTHONUNBUFFERED=1
  export ANSIBLE_HOST_KEY_CHECKING=True ANSIBLE_HOME=$dir/ansible ANSIBLE_LOCAL_TEMP=$dir/ansible/tmp
  export ANSIBLE_SSH_ARGS="-o ControlMaster=auto -o ControlPersist=60s -o ControlPath=$dir/%C $keys"
  export WINDLASS_SHOW_DEBUG=yes
  export LC_ALL=C.UTF-8 # Ansible starts with no other kind
  cd "$(dirname "$file")" || fail 65 "the folder of $2 cannot be read"
  note "ansible-playbook $2"
  ansible-playbook -i "$dir/in.inventory" --ssh-common-args "$keys" -e "@$dir/in.variables" \
    -e "windlass_package=$dir/package" -e "windlass_key=$dir/in.key" "$file" </dev/null 2>&1 |
    tee "$dir/output" || rc=$?
  ((rc == 0)) || fail 1 "$2 failed: $(blamed "$dir/output" "$rc")"
}

# blamed OUTPUT STATUS: the hosts that failed, each with its task and what Ansible says, and what was asked that nobody
# has answered.
blamed() {
  local hosts question
  hosts=$(awk '/^TASK \[.*\]$/ { task = $0 } /: (FAILED|UNREACHABLE): / { print $0 " (" task ")" } /^ERROR[:!] / { print }' "$1" | tail -n 3 | paste -sd ';')
  question=$(awk '/^QUESTION / { last = $0 } END { print last }' "$1")
  [[ -z $question ]] || hosts+="${hosts:+; }it had asked what nobody answers here: ${question#QUESTION }"
  printf '%s' "${hosts:-ansible-playbook ended with exit status $2}"
}
