# shellcheck shell=bash
state=$(member_state)
if [[ $state == member ]]; then
  note "already a member of the cluster"
  await_member "$TIMEOUT"
fi
result state "$state"
result kubeadm "$(kubeadm version -o short)"
