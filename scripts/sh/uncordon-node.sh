# shellcheck shell=bash
need_api
if ! known_node; then
  note "the cluster has no node $LEAVING"
  exit 0
fi
attempt "$LEAVING cannot be uncordoned" kube uncordon "$LEAVING"
