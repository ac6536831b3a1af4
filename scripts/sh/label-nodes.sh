# shellcheck shell=bash
need_api
registered() { kube get node "$1" -o name >/dev/null 2>&1; }
# "node key=value key=value,node key=value"
tr ',' '\n' <<<"$LABELS" >"$SCRATCH/labels"
while read -r node labels; do
  wait_until "$TIMEOUT" registered "$node" || fail 75 "the cluster does not know the node $node yet"
  # shellcheck disable=SC2086 # several labels
  attempt "$node cannot be labelled" kube label node "$node" --overwrite $labels
done <"$SCRATCH/labels"
