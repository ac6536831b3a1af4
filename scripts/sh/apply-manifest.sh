# shellcheck shell=bash
read_inputs
need_input manifest
need_api

# On the server's side: a manifest of a pod network is often too long for kubectl's annotation.
apply() { kube apply --server-side --force-conflicts --field-manager=windlass -f "$SCRATCH/in.manifest" </dev/null; }

# The API server serves the kinds that a manifest itself defines a moment after it has their definitions.
apply_known_kinds() {
  rc=0
  apply >"$SCRATCH/attempt" 2>&1 || rc=$?
  ((rc == 0)) || ! grep -q 'no matches for kind' "$SCRATCH/attempt"
}

rc=0
wait_until 30 apply_known_kinds || true
cat "$SCRATCH/attempt"
((rc == 0)) || explain "$MANIFEST cannot be applied" "$rc"
