# shellcheck shell=bash
# known_node: the cluster has a node object of $LEAVING.
known_node() {
  local found
  found=$(kube get node "$LEAVING" --ignore-not-found -o name 2>"$SCRATCH/reason") ||
    fail 75 "the API server does not tell whether $LEAVING is a node: $(tail -n 1 "$SCRATCH/reason")"
  [[ -n $found ]]
}
