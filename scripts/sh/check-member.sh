# shellcheck shell=bash
# Half of what is being made must not pass for what an interrupted kubeadm has left.
if ! known_member && [[ -n $(kubeadms) ]]; then
  note "kubeadm is at work on this node"
  state=busy
else
  state=$(member_state)
fi
if [[ $state == member ]]; then
  note "already a member of the cluster"
  await_member "$TIMEOUT"
fi
result state "$state"
result kubeadm "$(kubeadm version -o short)"
