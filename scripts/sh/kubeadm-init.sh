# shellcheck shell=bash
read_inputs
need_input config

stop_kubeadms || true
case $(member_state) in
member)
  note "the cluster is initialised already"
  await_member "$TIMEOUT"
  exit 0
  ;;
half) clear_leftovers ;;
esac

attempt "kubeadm init failed" timeout "$TIMEOUT" kubeadm init --config "$SCRATCH/in.config" --upload-certs --skip-token-print --skip-certificate-key-print
# Each join gets a token of its own; this one has no use.
kube -n kube-system delete secret "bootstrap-token-$TOKEN_ID" --ignore-not-found || note "the bootstrap token ends by itself in minutes"
await_member "$((TIMEOUT > SECONDS + 120 ? TIMEOUT - SECONDS : 120))"
remember_member
