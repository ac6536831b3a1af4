# shellcheck shell=bash
deadline=$((SECONDS + TIMEOUT))
expected=$(wc -w <<<"$NODES")
said=''

# "name<TAB>status<TAB>reason: message"
list_nodes() {
  kube get nodes -o jsonpath='{range .items[*]}{.metadata.name}{"\t"}{range .status.conditions[?(@.type=="Ready")]}{.status}{"\t"}{.reason}: {.message}{end}{"\n"}{end}' >"$SCRATCH/nodes" 2>"$SCRATCH/reason"
}

# not_ready prints a line "name: why" for each node that is expected and not ready.
not_ready() {
  local node
  for node in $NODES; do
    awk -F '\t' -v node="$node" '
      $1 == node { known = 1; if ($2 != "True") print node ": " ($3 == "" ? "no status yet" : $3) }
      END { if (!known) print node ": the cluster does not know it" }' "$SCRATCH/nodes"
  done
}

dns_available() {
  local available
  available=$(kube -n kube-system get deployment coredns -o jsonpath='{.status.availableReplicas}' 2>/dev/null) && ((${available:-0} > 0))
}

dns_reason() {
  kube -n kube-system get pods -l k8s-app=kube-dns -o jsonpath='{range .items[*]}{.metadata.name} is {.status.phase} {.status.containerStatuses[*].state.waiting.reason} {.status.conditions[?(@.status=="False")].message}{"\n"}{end}' 2>/dev/null | head -n 1
}

# why_no_network explains a pod network that does not work.
why_no_network() {
  [[ $waiting == *NetworkPluginNotReady* || $waiting == *"cni plugin not initialized"* ]] || return 0
  printf '%s' "; no pod network works there: look at its pods ('kubectl get pods -A'). If the steps of this operation have" \
    " no 'Apply the pod network', because an earlier release began it, apply a manifest on a control plane by hand, and retry"
}

need_api # the others may wait on a control plane whose API server answers
while :; do
  began=$(now_us)
  if list_nodes; then
    waiting=$(not_ready)
    if [[ -z $waiting ]] && dns_available; then break; fi
    count=$(grep -c . <<<"$waiting" || true)
    say="$((expected - count)) of $expected nodes are ready"
    if [[ -n $waiting ]]; then say+="; waiting for ${waiting//$'\n'/; }"; else say+="; waiting for CoreDNS"; fi
  else
    waiting='' say="the API server does not answer: $(tail -n 1 "$SCRATCH/reason")"
  fi
  [[ $say == "$said" ]] || note "$say"
  said=$say
  if ((SECONDS >= deadline)); then
    [[ -z $waiting ]] || fail 1 "after $TIMEOUT s $say; look at 'journalctl -u kubelet' there$(why_no_network)"
    api_ready || fail 1 "after $TIMEOUT s $say"
    fail 1 "CoreDNS is not available after $TIMEOUT s: $(dns_reason)"
  fi
  rest_from "$began" 500000
done
if ((expected == 1)); then
  note "the node is ready and CoreDNS is available"
else
  note "all $expected nodes are ready and CoreDNS is available"
fi
