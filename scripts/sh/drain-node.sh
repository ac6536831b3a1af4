# shellcheck shell=bash
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
    if [[ $POLICY != force ]]; then
      result held yes
      fail 1 "after $DRAIN_FOR s these pods are still on $LEAVING: $left. Make room for them or ease the budgets, then retry; or set drain_policy to force"
    fi
    note "after $DRAIN_FOR s these pods are still on $LEAVING: $left"
    note "drain_policy is force: they are deleted"
    result forced yes
    evict "$((SECONDS + 45))" --disable-eviction --grace-period=30 || true
    wait_until 15 list_pods || fail 75 "the pods of $LEAVING cannot be listed: $(tail -n 1 "$SCRATCH/reason")"
    delete_what_is_left
  fi
else
  note "$LEAVING is not ready${OFF:+, its server is $OFF}: its pods are deleted without waiting for it"
  result ready no
  wait_until 15 list_pods || fail 75 "the pods of $LEAVING cannot be listed: $(tail -n 1 "$SCRATCH/reason")"
  [[ ! -s $SCRATCH/pods ]] || result forced yes
  delete_what_is_left
fi

if ! wait_until "$DETACH_FOR" detached; then
  note "after $DETACH_FOR s these volumes are still attached to $LEAVING, going on: $(paste -sd ' ' "$SCRATCH/volumes")"
  result_text attached "$(paste -sd ' ' "$SCRATCH/volumes")"
fi
note "$LEAVING is drained"
