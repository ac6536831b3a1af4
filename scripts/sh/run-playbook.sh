# shellcheck shell=bash
need_ansible
read_inputs
need_input secrets
file=$(playbook "$PLAYBOOK") || fail 78 "$ROOT has no playbook $PLAYBOOK.yml; this release of kubespray cannot do what the step needs"

# The lock is Ansible's, too, and free when all that holds it is dead.
exec 9>>"$DIRECTORY/lock" || fail 78 "$DIRECTORY cannot be written to"
flock -n 9 || fail 75 "another run works with $DIRECTORY: $(head -c 200 "$DIRECTORY/owner" 2>/dev/null || true)"
printf '%s since %s\n' "$OWNER" "$(date -u +%FT%TZ)" >"$DIRECTORY/owner"

# What kubespray's own sample says of clusters counts, unless the inventory says otherwise.
if [[ -d $ROOT/inventory/sample/group_vars && ! -d $DIRECTORY/group_vars ]]; then
  rm -rf "$DIRECTORY/group_vars.new" # of a run that was cut short
  cp -r "$ROOT/inventory/sample/group_vars" "$DIRECTORY/group_vars.new"
  mv "$DIRECTORY/group_vars.new" "$DIRECTORY/group_vars"
fi
chmod 0600 "$SCRATCH"/in.*

export ANSIBLE_CALLBACK_PLUGINS=$DIRECTORY/callback ANSIBLE_STDOUT_CALLBACK=windlass ANSIBLE_NOCOLOR=1
# Not those of kubespray's ansible.cfg, which print the time of each task.
export ANSIBLE_CALLBACKS_ENABLED=windlass ANSIBLE_DEPRECATION_WARNINGS=False
export ANSIBLE_HOST_KEY_CHECKING=True ANSIBLE_RETRY_FILES_ENABLED=False PYTHONUNBUFFERED=1
# Facts of hosts of other clusters are in other files.
export ANSIBLE_CACHE_PLUGIN_CONNECTION=$DIRECTORY/facts ANSIBLE_LOCAL_TEMP=$SCRATCH/ansible
# kubespray's ansible.cfg has ssh forget host keys, in options that come before the common ones.
host_keys="-o UserKnownHostsFile=$DIRECTORY/known_hosts -o GlobalKnownHostsFile=/dev/null -o StrictHostKeyChecking=yes"
export ANSIBLE_SSH_ARGS="-o ControlMaster=auto -o ControlPersist=60s $host_keys"
arguments=(-i "$DIRECTORY/hosts.ini" --become --become-user=root
  --ssh-common-args "$host_keys"
  -e "@$DIRECTORY/vars.json" -e "@$SCRATCH/in.secrets" -e "windlass_keys=$SCRATCH")
[[ -z $LIMIT ]] || arguments+=(--limit "$LIMIT")
for variable in $VARIABLES; do arguments+=(-e "$variable"); done

cd "$(dirname "$file")" || fail 78 "$ROOT cannot be read"
[[ ! -f $ROOT/ansible.cfg ]] || export ANSIBLE_CONFIG=$ROOT/ansible.cfg
printf '%s %s %s\n' "$(date -u +%FT%TZ)" "$(basename "$file")" "$OWNER" >>"$DIRECTORY/runs"
note "ansible-playbook $(basename "$file")${LIMIT:+ on $LIMIT}"
rc=0
ansible-playbook "${arguments[@]}" "$file" </dev/null 2>&1 | tee "$SCRATCH/output" || rc=$?
((rc == 0)) || fail 1 "$(basename "$file") failed: $(blamed "$SCRATCH/output" "$rc")"
