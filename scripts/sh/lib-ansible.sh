# shellcheck shell=bash
# The user of the Ansible server is an ordinary one: Ansible may be installed for this user only.
export PATH=$HOME/.local/bin:$PATH
export LC_ALL=C.UTF-8 # Ansible starts with no other kind

need_ansible() {
  command -v ansible-playbook >/dev/null ||
    fail 78 "the user $(id -un) of the Ansible server has no ansible-playbook; install Ansible there, then retry"
  [[ -d $ROOT ]] || fail 78 "the Ansible server has no directory $ROOT; correct kubespray_root_path"
}

# playbook NAME prints the path of one of kubespray's playbooks: its releases have put dashes or underscores into names,
# and playbooks at the top or below playbooks.
playbook() {
  local dir name
  for dir in "$ROOT" "$ROOT/playbooks"; do
    for name in "$1" "${1//-/_}" "${1//_/-}"; do
      [[ ! -f $dir/$name.yml ]] || { printf '%s' "$dir/$name.yml"; return; }
    done
  done
  return 1
}
