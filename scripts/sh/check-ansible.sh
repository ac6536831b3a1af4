# shellcheck shell=bash
need_ansible
for name in $PLAYBOOKS; do
  playbook "$name" >/dev/null || fail 78 "$ROOT has no playbook $name.yml; is kubespray_root_path kubespray's own directory?"
done
if [[ -n $RECOVER ]] && ! playbook "$RECOVER" >/dev/null; then
  fail 65 "the kubespray in $ROOT has no playbook $RECOVER.yml, without which control planes neither come nor go: heal the entire VNF (without vnfcInstanceId), or give the Ansible server a release that has it"
fi
if [[ $PASSWORDS == yes ]] && ! command -v sshpass >/dev/null; then
  fail 78 "the Ansible server has no sshpass, which Ansible needs to log in to nodes with passwords; install it, then retry"
fi
mkdir -p "$DIRECTORY" 2>/dev/null || true
[[ -w $DIRECTORY ]] ||
  fail 78 "the user $(id -un) cannot write to $DIRECTORY on the Ansible server; correct transferring_inventory_path or its rights"
ansible-playbook --version >"$SCRATCH/version" 2>&1 || fail 78 "ansible-playbook does not run on the Ansible server: $(tail -n 1 "$SCRATCH/version")"
version=$(sed -n 1p "$SCRATCH/version")
kubespray=$(sed -nE "s/^version: *//p" "$ROOT/galaxy.yml" 2>/dev/null | sed -n 1p || true)
note "${version:-Ansible of an unknown version}, kubespray ${kubespray:-of an unknown version} in $ROOT"
result ansible "$version"
result kubespray "$kubespray"
