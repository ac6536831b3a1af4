#!/bin/bash
# windlass: drain-node
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='300'
LEAVING='worker-5e6f7a8b'
DRAIN_FOR='300'
POLICY='fail'
DETACH_FOR='120'
OFF='SHUTOFF'

set -euo pipefail
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# What is secret lives here, in memory, for as long as the script; a killed one is swept up by the next.
find /run -maxdepth 1 -name 'windlass-scratch.*' -mmin +240 -exec rm -rf {} + 2>/dev/null || true
SCRATCH=$(mktemp -d /run/windlass-scratch.XXXXXX)
trap 'rm -rf "$SCRATCH"' EXIT
export TMPDIR=$SCRATCH # older shells keep here-documents in files
trap 'exit 143' HUP INT TERM

# fail CODE SENTENCE: 75 try again, 65 or 78 bad input, 73 disk full, 1 a person must look.
fail() {
  local code=$1
  shift
  printf 'windlass: %s\n' "$*"
  exit "$code"
}

note() { printf '%s\n' "$*"; }
result() { printf 'windlass-result: %s=%s\n' "$1" "$2"; }
result_text() { result "$1" "$(printf '%s' "$2" | base64 -w0)"; }

# read_inputs takes "name=base64" lines from stdin into files $SCRATCH/in.<name>.
read_inputs() {
  local line
  while IFS= read -r line; do
    base64 -d <<<"${line#*=}" >"$SCRATCH/in.${line%%=*}" || fail 65 "the input ${line%%=*} is not base64"
  done
}

# need_input NAME...: a retry after the worker lost its secrets must not run half blind.
need_input() {
  local name
  for name in "$@"; do
    [[ -s $SCRATCH/in.$name ]] || fail 65 "the input $name is missing"
  done
}

# attempt SENTENCE COMMAND...: runs it with its output shown; a failure ends the script with the sentence and
# the reason, and with the exit code that fits the reason.
attempt() {
  local sentence=$1 rc=0
  shift
  "$@" </dev/null 2>&1 | tee "$SCRATCH/attempt" || rc=$?
  ((rc == 0)) && return
  explain "$sentence" "$rc"
}

# explain SENTENCE CODE: reads the reason in $SCRATCH/attempt.
explain() {
  local reason
  if grep -q 'No space left on device' "$SCRATCH/attempt"; then
    fail 73 "$1: no space left on device"
  fi
  if (($2 == 124)); then
    fail 1 "$1: it did not end in time; its last line was: $(tail -n 1 "$SCRATCH/attempt")"
  fi
  if (($2 > 128)); then
    fail 75 "$1: it was killed by signal $(($2 - 128)); did the node run out of memory?"
  fi
  # kubeadm lists its preflight errors in brackets; elsewhere the last line says why.
  reason=$(grep -o '\[ERROR [^]]*\].*' "$SCRATCH/attempt" | paste -sd ';' || true)
  if [[ -n $reason ]]; then
    fail 1 "$1: ${reason//;/; }"
  fi
  reason=$(grep -E '^(E:|error|Error|\[ALERT\]|failed|Err:)' "$SCRATCH/attempt" | tail -n 1 || true)
  [[ -n $reason ]] || reason=$(grep -v '^To see the stack trace' "$SCRATCH/attempt" | grep . | tail -n 1 || true)
  # A control plane or kubelet that does not start is no matter of time, though what kubeadm says looks so.
  if grep -qE 'phase (wait-control-plane|kubelet-start|kubelet-wait-bootstrap)' "$SCRATCH/attempt"; then
    fail 1 "$1: $reason; look at 'journalctl -u kubelet' and the logs in /var/log/pods"
  fi
  if grep -qE 'connection refused|connection reset|no route to host|i/o timeout|TLS handshake timeout|Temporary failure|Could not get lock|could not get lock|Could not connect|Connection timed out|Client.Timeout|context deadline exceeded|etcdserver: |in sync with leader|unexpected EOF|the server is currently unable' "$SCRATCH/attempt"; then
    fail 75 "$1: $reason"
  fi
  fail 1 "$1: ${reason:-exit status $2}"
}

# service VERB NAME: systemctl, with the reason from the journal when it fails.
service() {
  local reason
  systemctl "$1" "$2" && return
  journalctl -u "$2" -n 30 -o cat --no-pager >"$SCRATCH/journal" 2>/dev/null || true
  reason=$(grep -iE 'alert|error|fatal|cannot|invalid' "$SCRATCH/journal" | tail -n 1 || true)
  fail 1 "$2 does not $1: ${reason:-look at the journal of $2}"
}

# wait_until SECONDS COMMAND...: looks four times a second.
wait_until() {
  local deadline=$((SECONDS + $1)) began
  shift
  while :; do
    began=$(now_us)
    if "$@"; then return; fi
    ((SECONDS < deadline)) || return 1
    rest_from "$began" 250000
  done
}

now_us() { printf '%s' "${EPOCHREALTIME/[.,]/}"; } # the separator is the locale's

# rest_from BEGAN LEAST: sleeps LEAST microseconds, or as long as what began then took, five seconds at most: who looks all
# the time at a machine that answers late makes it answer later.
rest_from() {
  local took=$(($(now_us) - $1))
  ((took > $2)) || took=$2
  ((took < 5000000)) || took=5000000
  sleep "$((took / 1000000)).$(printf %06d $((took % 1000000)))"
}

# write_file PATH MODE: content from stdin; CHANGED says whether it was another one before. Nobody ever sees
# half of the file. Not for the end of a pipe: a failure would end the pipe's own shell only.
write_file() {
  local new
  CHANGED=no
  mkdir -p "$(dirname "$1")"
  new=$(mktemp "$1.windlass.XXXXXX") || fail 73 "$1 cannot be written"
  cat >"$new" || { rm -f "$new"; fail 73 "$1 cannot be written"; }
  chmod "$2" "$new"
  if cmp -s "$new" "$1" && [[ $(stat -c %a "$1") == "$(stat -c %a "$new")" ]]; then
    rm -f "$new"
    return
  fi
  mv -f "$new" "$1"
  # shellcheck disable=SC2034 # for the caller
  CHANGED=yes
}

in_container() { systemd-detect-virt --quiet --container 2>/dev/null; }

ADMIN_CONF=/etc/kubernetes/admin.conf
MEMBER_FILE=/var/lib/windlass/member # "cluster node", once the node is a full member

# host_port ADDRESS PORT
host_port() {
  case $1 in
  *:*) printf '[%s]:%s' "$1" "$2" ;;
  *) printf '%s:%s' "$1" "$2" ;;
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
  local flags=(--endpoints https://127.0.0.1:2379 --cacert /etc/kubernetes/pki/etcd/ca.crt
    --cert /etc/kubernetes/pki/etcd/server.crt --key /etc/kubernetes/pki/etcd/server.key)
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

# known_node: the cluster has a node object of $LEAVING.
known_node() {
  local found
  found=$(kube get node "$LEAVING" --ignore-not-found -o name 2>"$SCRATCH/reason") ||
    fail 75 "the API server does not tell whether $LEAVING is a node: $(tail -n 1 "$SCRATCH/reason")"
  [[ -n $found ]]
}

# Ready is True, False or Unknown; a kubelet that died is missed after less than a minute. OFF tells that the VIM knows more.
ready() { [[ -z ${OFF:-} && $(kube get node "$LEAVING" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null) != @(False|Unknown) ]]; }

# list_pods lists those that have to go, "namespace name ending", into $SCRATCH/pods. Pods of DaemonSets and of the
# node itself stay, as they do with kubectl drain; what has ended needs no place.
list_pods() {
  kube get pods -A --field-selector "spec.nodeName=$LEAVING" -o go-template='{{range .items}}{{.metadata.namespace}} {{.metadata.name}} {{if .metadata.deletionTimestamp}}ending{{else}}-{{end}} {{.status.phase}} {{range .metadata.ownerReferences}}{{.kind}},{{end}}{{"\n"}}{{end}}' >"$SCRATCH/all-pods" 2>"$SCRATCH/reason" &&
    awk '$4 != "Succeeded" && $4 != "Failed" && $5 !~ /(^|,)(DaemonSet|Node),/ { print $1, $2, $3 }' "$SCRATCH/all-pods" >"$SCRATCH/pods"
}
emptied() { list_pods && [[ ! -s $SCRATCH/pods ]]; }

# show_drain passes on what kubectl has said since the last look; it repeats itself every five seconds.
declare -A SHOWN
show_drain() {
  local line
  while IFS= read -r line; do
    [[ -n $line && -z ${SHOWN[$line]:-} && ! $line =~ ^pod/[^\ ]+$ ]] || continue
    SHOWN[$line]=yes
    case $line in *'global timeout reached'* | 'There are pending nodes'* | " $LEAVING" | *'already cordoned') ;; *) note "$line" ;; esac
  done <"$SCRATCH/drain"
}

# evict UNTIL [FLAG...]: drains until that second of the script, or until the node is not ready any more. kubectl ends
# early where the API server is away for a moment.
evict() {
  local until=$1 left pid looked
  shift
  while left=$((until - SECONDS)) && ((left > 0)); do
    : >"$SCRATCH/drain"
    # No function: what is killed below must be kubectl itself.
    kubectl --kubeconfig "$ADMIN_CONF" --server "https://$(host_port "$ADDRESS" 6443)" drain "$LEAVING" --ignore-daemonsets --delete-emptydir-data --force --timeout "${left}s" "$@" </dev/null >"$SCRATCH/drain" 2>&1 &
    pid=$! looked=$SECONDS
    while kill -0 "$pid" 2>/dev/null; do
      show_drain
      if ((SECONDS >= looked + 3)); then
        looked=$SECONDS
        if ! ready; then
          kill "$pid" 2>/dev/null || true
          wait "$pid" || true
          return 1
        fi
      fi
      sleep 0.25
    done
    if wait "$pid"; then
      show_drain
      return
    fi
    show_drain
    ready || return 1
    if emptied; then return; fi
    sleep 1
  done
}

# delete_pods takes the pods of the list away without waiting for the node.
delete_pods() {
  local namespace pod rest
  while read -r namespace pod rest; do
    note "deleting the pod $namespace/$pod"
    kube -n "$namespace" delete pod "$pod" --grace-period=0 --force --ignore-not-found --wait=false 2>&1 </dev/null | grep -v '^Warning: Immediate deletion' || true
  done <"$SCRATCH/pods"
}

# list_budgets lists those that let no pod go, "namespace name selector".
list_budgets() {
  # shellcheck disable=SC2016 # variables of the template
  kube get poddisruptionbudgets -A -o go-template='{{range .items}}{{if eq (printf "%v" .status.disruptionsAllowed) "0"}}{{.metadata.namespace}} {{.metadata.name}} {{range $k, $v := .spec.selector.matchLabels}}{{$k}}={{$v}},{{end}}{{range .spec.selector.matchExpressions}}{{if eq .operator "DoesNotExist"}}!{{end}}{{.key}}{{if eq .operator "In"}} in {{else if eq .operator "NotIn"}} notin {{end}}{{if .values}}({{range $i, $v := .values}}{{if $i}},{{end}}{{$v}}{{end}}){{end}},{{end}}{{"\n"}}{{end}}{{end}}' >"$SCRATCH/budgets" 2>/dev/null || : >"$SCRATCH/budgets"
}

# held lists "namespace/pod budget" for every pod of the node that a budget holds.
held() {
  local namespace budget selector pod
  list_budgets
  while read -r namespace budget selector; do
    kube -n "$namespace" get pods -l "${selector%,}" --field-selector "spec.nodeName=$LEAVING" -o name </dev/null 2>/dev/null |
      while read -r pod; do printf '%s/%s %s\n' "$namespace" "${pod#pod/}" "$budget"; done
  done <"$SCRATCH/budgets"
}

# why_left says which pods are left, and what holds them.
why_left() {
  local namespace pod ending budget count=0 sentence=''
  held >"$SCRATCH/held"
  while read -r namespace pod ending; do
    ((++count <= 5)) || continue
    budget=$(awk -v pod="$namespace/$pod" '$1 == pod { print $2 }' "$SCRATCH/held" | paste -sd ' ')
    sentence+="${sentence:+, }$namespace/$pod"
    if [[ $ending == ending ]]; then
      sentence+=' (it is ending)'
    elif [[ -n $budget ]]; then
      sentence+=" (the PodDisruptionBudget ${budget// / and } lets no pod go)"
    fi
  done <"$SCRATCH/pods"
  ((count <= 5)) || sentence+=" and $((count - 5)) more"
  printf '%s' "$sentence"
}

# list_volumes lists what is attached to the node, by the names of the volumes.
list_volumes() {
  kube get volumeattachments -o go-template='{{range .items}}{{.spec.nodeName}} {{with .spec.source.persistentVolumeName}}{{.}}{{else}}an inline volume{{end}}{{"\n"}}{{end}}' >"$SCRATCH/attachments" 2>/dev/null &&
    awk -v node="$LEAVING" '$1 == node { $1 = ""; print substr($0, 2) }' "$SCRATCH/attachments" >"$SCRATCH/volumes"
}
detached() { list_volumes && [[ ! -s $SCRATCH/volumes ]]; }

delete_what_is_left() {
  [[ -s $SCRATCH/pods ]] || return 0
  result forced yes
  delete_pods
  wait_until 30 emptied || note "the API server still lists pods of $LEAVING; finalizers may hold them"
}

need_api
if ! known_node; then
  note "the cluster has no node $LEAVING"
  result absent yes
  exit 0
fi
attempt "$LEAVING cannot be cordoned" kube cordon "$LEAVING"

if ready && evict "$((SECONDS + DRAIN_FOR))"; then
  wait_until 15 list_pods || fail 75 "the pods of $LEAVING cannot be listed: $(tail -n 1 "$SCRATCH/reason")"
  if [[ -s $SCRATCH/pods ]]; then
    left=$(why_left)
    [[ $POLICY == force ]] ||
      fail 1 "after $DRAIN_FOR s these pods are still on $LEAVING: $left. Make room for them or ease the budgets, then retry; or set drain_policy to force"
    note "after $DRAIN_FOR s these pods are still on $LEAVING: $left"
    note "drain_policy is force: they are deleted"
    evict "$((SECONDS + 45))" --disable-eviction --grace-period=30 || true
    wait_until 15 list_pods || fail 75 "the pods of $LEAVING cannot be listed: $(tail -n 1 "$SCRATCH/reason")"
    delete_what_is_left
  fi
else
  note "$LEAVING is not ready${OFF:+, its server is $OFF}: its pods are deleted without waiting for it"
  result ready no
  wait_until 15 list_pods || fail 75 "the pods of $LEAVING cannot be listed: $(tail -n 1 "$SCRATCH/reason")"
  delete_what_is_left
fi

if ! wait_until "$DETACH_FOR" detached; then
  note "after $DETACH_FOR s these volumes are still attached to $LEAVING, going on: $(paste -sd ' ' "$SCRATCH/volumes")"
  result_text attached "$(paste -sd ' ' "$SCRATCH/volumes")"
fi
note "$LEAVING is drained"
