# shellcheck shell=bash
gone() { ! known_node; }

need_api
if ! known_node; then
  note "the cluster has no node $LEAVING"
  exit 0
fi
attempt "$LEAVING cannot be deleted from the cluster" kube delete node "$LEAVING" --ignore-not-found --wait=false
wait_until "$TIMEOUT" gone || fail 1 "after $TIMEOUT s the cluster still has the node $LEAVING; 'kubectl get node $LEAVING -o yaml' shows the finalizers that hold it"
