# shellcheck shell=bash
read_inputs
need_input package inventory variables callback
command -v ansible-playbook >/dev/null ||
  fail 78 "the user $(id -un) of the Ansible server has no ansible-playbook; install Ansible there, then retry"
if [[ $PASSWORD == yes ]] && ! command -v sshpass >/dev/null; then
  fail 78 "the Ansible server has no sshpass, which Ansible needs to log in with passwords; install it, then retry"
fi

# All of it is in memory, for as long as the run, and for nobody else to read: ssh takes no key that others may read.
umask 077
mkdir "$SCRATCH/package" "$SCRATCH/callback"
tar -xzf "$SCRATCH/in.package" -C "$SCRATCH/package" || fail 65 "the files of the package cannot be unpacked"
mv "$SCRATCH/in.callback" "$SCRATCH/callback/windlass.py"
touch "$SCRATCH/in.known_hosts"
chmod 0600 "$SCRATCH"/in.*

play "$SCRATCH" "$PLAYBOOK"
