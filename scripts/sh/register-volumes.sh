# shellcheck shell=bash
# ready: every volume is Available, or Bound where it was there before. $WAITING says which are not.
ready() {
  local name phase
  WAITING=''
  for name in $NAMES; do
    phase=$(kube get persistentvolume "$name" -o jsonpath='{.status.phase}' </dev/null 2>/dev/null || true)
    [[ $phase == Available || $phase == Bound ]] || WAITING+="${WAITING:+, }$name (${phase:-unknown})"
  done
  [[ -z $WAITING ]]
}

read_inputs
need_input manifest
need_api
attempt "$MANIFEST cannot be applied" kube apply --server-side --force-conflicts --field-manager=windlass -f "$SCRATCH/in.manifest"
wait_until "$TIMEOUT" ready ||
  fail 1 "after $TIMEOUT s these volumes of $MANIFEST are not Available: $WAITING; delete one that is Released or Failed, then retry"
note "Available: $NAMES"
