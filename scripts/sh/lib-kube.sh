# shellcheck shell=bash
ADMIN_CONF=/etc/kubernetes/admin.conf
MEMBER_FILE=/var/lib/windlass/member # "cluster node", once the node is a full member

# host_port ADDRESS PORT
host_port() {
  case $1 in
  *:*) printf '[%s]:%s' "$1" "$2" ;;
  *) printf '%s:%s' "$1" "$2" ;;
  esac
}

# loopback is the loopback address of the node's family: kubeadm lets etcd listen there.
loopback() {
  case $ADDRESS in
  *:*) printf '::1' ;;
  *) printf '127.0.0.1' ;;
  esac
}

# kube asks this node's own API server: the virtual IP may be on its way.
kube() { kubectl --kubeconfig "$ADMIN_CONF" --server "https://$(host_port "$ADDRESS" 6443)" --request-timeout 20s "$@"; }

api_ready() { [[ -s $ADMIN_CONF ]] && [[ $(kube get --raw /readyz --request-timeout 5s 2>/dev/null) == ok ]]; }

# need_api: scripts that may run on any control plane leave one whose API server is away.
need_api() {
  wait_until 30 api_ready || fail 75 "the API server of this control plane is not ready"
}

# etcd runs etcdctl, the node's own or the one in etcd's static pod.
etcd() {
  local flags
  flags=(--endpoints "https://$(host_port "$(loopback)" 2379)" --cacert /etc/kubernetes/pki/etcd/ca.crt
    --cert /etc/kubernetes/pki/etcd/server.crt --key /etc/kubernetes/pki/etcd/server.key)
  if [[ -s /etc/ssl/etcd/ssl/ca.pem ]]; then # kubespray's etcd is a service of the node
    flags=(--endpoints https://127.0.0.1:2379 --cacert /etc/ssl/etcd/ssl/ca.pem
      --cert "/etc/ssl/etcd/ssl/admin-$NODE_NAME.pem" --key "/etc/ssl/etcd/ssl/admin-$NODE_NAME-key.pem")
  fi
  if command -v etcdctl >/dev/null; then
    etcdctl "${flags[@]}" "$@" </dev/null
  else
    kube -n kube-system exec "etcd-$NODE_NAME" -- etcdctl "${flags[@]}" "$@" </dev/null
  fi
}

# member_column URL COLUMN: of the member with that peer URL. Columns: id, state, name, peers, clients, learner.
member_column() {
  etcd member list 2>/dev/null | awk -F ', ' -v url="$1" -v col="$2" '$4 == url { print $col }'
}

# full_control_plane: the last things that kubeadm does have happened.
full_control_plane() {
  local url
  url="https://$(host_port "$ADDRESS" 2380)"
  api_ready &&
    [[ $(kube get node "$NODE_NAME" -o jsonpath='{.metadata.labels}' 2>/dev/null) == *node-role.kubernetes.io/control-plane* ]] &&
    [[ $(member_column "$url" 2) == started && $(member_column "$url" 6) == false ]]
}

full_worker() {
  [[ -s /etc/kubernetes/kubelet.conf ]] && systemctl is-active --quiet kubelet &&
    kubectl --kubeconfig /etc/kubernetes/kubelet.conf --request-timeout 10s get node "$NODE_NAME" -o name >/dev/null 2>&1
}

full_member() { if [[ $ROLE == control-plane ]]; then full_control_plane; else full_worker; fi; }

# kubeadms lists what is at work on this node: every kubeadm, and the other scripts that run one and then wait
# for what it has begun.
kubeadms() {
  local file line
  for file in /proc/[0-9]*/stat; do
    read -r line 2>/dev/null <"$file" || continue
    [[ $line != *' (kubeadm) '[!Z]* ]] || printf '%s\n' "${line%% *}"
  done
  for file in $(grep -slzE '^WINDLASS_RUN=.*-kubeadm-(init|join)(-[0-9]+)?$' /proc/[0-9]*/environ || true); do
    # The grep that looks is of our own run, and so is this subshell; what has ended meanwhile is nobody's.
    grep -sqzxF "WINDLASS_RUN=${WINDLASS_RUN:-none}" "$file" && continue
    [[ -e $file ]] || continue
    file=${file%/environ}
    printf '%s\n' "${file##*/}"
  done
}

# stop_kubeadms ends what an earlier try has left running: its cancel may have got lost. False when there was
# nothing to stop.
stop_kubeadms() {
  local left signal=TERM end=$((SECONDS + 5))
  left=$(kubeadms)
  [[ -n $left ]] || return 1
  note "stopping the kubeadm of an earlier try"
  while [[ -n $left ]]; do
    ((SECONDS < end)) || signal=KILL
    ((SECONDS < end + 5)) || fail 75 "the kubeadm of an earlier try cannot be stopped"
    # shellcheck disable=SC2086 # several numbers
    kill -"$signal" $left 2>/dev/null || true
    # Once: who tidies up on TERM is not interrupted again and again.
    [[ $signal == KILL ]] || signal=0
    sleep 0.1
    left=$(kubeadms)
  done
}

known_member() { [[ -s /etc/kubernetes/kubelet.conf && -r $MEMBER_FILE && $(<"$MEMBER_FILE") == "$CLUSTER $NODE_NAME" ]]; }

remember_member() { write_file "$MEMBER_FILE" 0644 <<<"$CLUSTER $NODE_NAME"; }

# member_state prints member, half or new. Only a node that was never a full member of this cluster is half:
# a full one that does not answer at the moment holds data and must not be reset.
member_state() {
  if known_member; then
    echo member
  elif ! has_leftovers; then
    echo new
  elif full_member; then
    remember_member
    echo member
  else
    echo half
  fi
}

has_leftovers() {
  [[ -n $(find /etc/kubernetes/manifests /var/lib/etcd -mindepth 1 -print -quit 2>/dev/null) ]] ||
    compgen -G '/etc/kubernetes/*.conf' >/dev/null || [[ -e /etc/kubernetes/pki/ca.crt ]]
}

# clear_leftovers undoes a kubeadm that was interrupted: it cannot resume.
clear_leftovers() {
  has_leftovers || return 0
  note "an interrupted kubeadm left its files here: kubeadm reset"
  timeout 300 kubeadm reset --force </dev/null || note "kubeadm reset ended with an error; going on"
  # kubeadm looks for etcd's data only where a manifest names it.
  find /var/lib/etcd -mindepth 1 -delete 2>/dev/null || true
  rm -f "$MEMBER_FILE" /etc/kubernetes/*.conf
  rm -rf /etc/kubernetes/pki /etc/kubernetes/manifests/*
}

# await_member SECONDS: a member that restarts is given time.
await_member() {
  wait_until "$1" full_member ||
    fail 1 "this node belongs to the cluster but does not work; look at 'journalctl -u kubelet' and the logs in /var/log/pods on it"
}
