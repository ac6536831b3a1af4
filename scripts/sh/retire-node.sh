# shellcheck shell=bash
stop_service() {
  systemctl is-active --quiet "$1" || systemctl is-enabled --quiet "$1" 2>/dev/null || return 0
  note "stopping $1"
  systemctl disable -q --now "$1" || note "$1 does not stop"
}

# The virtual IP goes first: it must not point at what stops.
stop_service keepalived
if [[ $WHOLE == yes ]]; then
  stop_service haproxy
  stop_kubeadms || true
  if [[ -e $MEMBER_FILE ]] || has_leftovers; then
    systemctl stop kubelet || note "kubelet does not stop"
    # Who leaves etcd is decided elsewhere, where the quorum is known.
    timeout 300 kubeadm reset --force --skip-phases=remove-etcd-member </dev/null || note "kubeadm reset ended with an error; going on"
    find /var/lib/etcd -mindepth 1 -delete 2>/dev/null || true
    rm -f "$MEMBER_FILE" /etc/kubernetes/*.conf
    rm -rf /etc/kubernetes/pki /etc/kubernetes/manifests/*
  fi
fi
