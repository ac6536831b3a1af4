# shellcheck shell=bash
# Runs on a control plane that works, for one that is about to join.
remove_stale() {
  local id
  etcd member list >"$SCRATCH/members" 2>/dev/null || return 1
  id=$(awk -F ', ' -v url="$PEER_URL" '$4 == url { print $1 }' "$SCRATCH/members")
  [[ -n $id ]] || return 0
  note "removing the stale etcd member $id of $JOINING"
  etcd member remove "$id"
}

# Every member has started, none is a learner, and each of them answers.
healthy() {
  etcd member list >"$SCRATCH/members" 2>/dev/null &&
    ! grep -qE '^[^,]*, unstarted|, true$' "$SCRATCH/members" &&
    etcd endpoint health --cluster >"$SCRATCH/health" 2>&1
}

need_api
wait_until "$TIMEOUT" remove_stale || fail 1 "after $TIMEOUT s etcd does not let go of the stale member of $JOINING"
kube delete node "$JOINING" --ignore-not-found --wait=false
if ! wait_until "$TIMEOUT" healthy; then
  note "$(cat "$SCRATCH/members" "$SCRATCH/health" 2>/dev/null)"
  fail 1 "etcd is not healthy after $TIMEOUT s, so $JOINING cannot join it: $(grep -hE 'unhealthy|unstarted|, true$' "$SCRATCH/members" "$SCRATCH/health" 2>/dev/null | head -n 1)"
fi
note "etcd is healthy with $(wc -l <"$SCRATCH/members") members"
