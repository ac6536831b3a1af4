# shellcheck shell=bash
# leaves NAME PEER: is that member of one of the nodes in LEAVING ("name=peer-url ...")? A member that has a name is
# told by it, because a new VM may have the address of the old one; one that has not started has none.
leaves() {
  local entry
  for entry in $LEAVING; do
    if [[ -n $1 ]]; then
      [[ $1 != "${entry%%=*}" ]] || return 0
    else
      [[ $2 != "${entry#*=}" ]] || return 0
    fi
  done
  return 1
}

# survey counts the members, and picks the one to remove first: a learner, one that has not started, one that is not
# healthy, then the others. A learner has no vote.
survey() {
  local id name peer started learner healthy rank
  VOTERS=0 WORKING=0 PICKED='' PICKED_RANK=9 DOWN='' LEFT=0
  while IFS='|' read -r id name peer started learner healthy; do
    if [[ $learner == no ]]; then
      VOTERS=$((VOTERS + 1))
      if [[ $healthy == yes ]]; then WORKING=$((WORKING + 1)); fi
    fi
    rank=3
    if [[ $healthy == no ]]; then rank=2; fi
    if [[ $started == no ]]; then rank=1; fi
    if [[ $learner == yes ]]; then rank=0; fi
    if leaves "$name" "$peer"; then
      if ((rank < PICKED_RANK)); then PICKED=$id PICKED_RANK=$rank PICKED_NAME=${name:-$peer}; fi
    else
      LEFT=$((LEFT + 1))
      if [[ $healthy == no ]]; then DOWN+="${DOWN:+, }${name:-$peer}"; fi
    fi
  done <"$SCRATCH/members"
}

# need_quorum refuses what etcd could not commit, or what would leave too few of its members to go on.
need_quorum() {
  local voters=$VOTERS working=$WORKING after
  ((PICKED_RANK > 0)) || return 0
  ((working >= voters / 2 + 1)) ||
    fail 65 "etcd has lost its quorum: $working of $voters members work and $((voters / 2 + 1)) must. Bring ${DOWN:-them} back first"
  after=$((voters - 1))
  if ((PICKED_RANK == 3)); then working=$((working - 1)); fi
  ((LEFT > 0 && after > 0)) || fail 65 "$PICKED_NAME is the last member of etcd: the cluster would end with it"
  ((working >= after / 2 + 1)) ||
    fail 65 "etcd would lose its quorum without $PICKED_NAME: $working of the other $after members work and $((after / 2 + 1)) must. Bring ${DOWN:-the others} back first"
}

# healthy_again: those that stay and answered before do so again. One that is down is not waited for.
healthy_again() {
  read_members || return 1
  survey
  ((WORKING >= EXPECTED)) && ! cut -d '|' -f 1 "$SCRATCH/members" | grep -qxF "$1"
}

need_etcd
deadline=$((SECONDS + TIMEOUT))
while wait_until "$((deadline > SECONDS ? deadline - SECONDS : 0))" read_members || fail 1 "after $TIMEOUT s etcd does not list its members: $(tail -n 1 "$SCRATCH/reason")"; do
  survey
  [[ -n $PICKED ]] || break
  need_quorum
  EXPECTED=$WORKING
  if ((PICKED_RANK == 3)); then EXPECTED=$((WORKING - 1)); fi
  id=$PICKED name=$PICKED_NAME
  note "removing the member $id of etcd, $name"
  if ! etcd member remove "$id" >"$SCRATCH/attempt" 2>&1; then
    reason=$(grep . "$SCRATCH/attempt" | tail -n 1 || true)
    ((SECONDS < deadline)) || fail 1 "etcd does not let go of its member $name: $reason"
    note "$reason"
    sleep 1
    continue
  fi
  cat "$SCRATCH/attempt"
  wait_until "$TIMEOUT" healthy_again "$id" || fail 1 "etcd is not healthy $TIMEOUT s after $name was removed: $WORKING of its $VOTERS members work"
done
[[ -z $DOWN ]] || note "not healthy, but not of those that leave: $DOWN"
note "etcd has $VOTERS members, $WORKING of them work"
result down "${DOWN:-none}"
