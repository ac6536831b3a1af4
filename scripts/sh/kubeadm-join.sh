# shellcheck shell=bash
read_inputs
need_input config

case $(member_state) in
member)
  note "already a member of the cluster"
  await_member "$TIMEOUT"
  exit 0
  ;;
half) clear_leftovers ;;
esac

attempt "kubeadm join failed" timeout "$TIMEOUT" kubeadm join --config "$SCRATCH/in.config"
await_member 120
remember_member
