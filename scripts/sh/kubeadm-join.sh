# shellcheck shell=bash
read_inputs
need_input config

# What its end leaves in etcd is removed by another control plane, before the next try.
if stop_kubeadms && [[ $ROLE == control-plane ]] && ! known_member; then
  fail 75 "the kubeadm of an earlier try was still running and has been stopped"
fi
case $(member_state) in
member)
  note "already a member of the cluster"
  await_member "$TIMEOUT"
  exit 0
  ;;
half) clear_leftovers ;;
esac

attempt "kubeadm join failed" timeout "$TIMEOUT" kubeadm join --config "$SCRATCH/in.config"
await_member "$((TIMEOUT > SECONDS + 120 ? TIMEOUT - SECONDS : 120))"
remember_member
