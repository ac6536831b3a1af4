# shellcheck shell=bash
# One that has changed since it was looked at is not deleted: a claim may have been bound to it meanwhile.
gone() { [[ -z $(kube get persistentvolume "$1" --ignore-not-found -o name 2>/dev/null || echo unknown) ]]; }

read_inputs
need_input volumes
need_api
while read -r name uid version; do
  printf '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"%s","resourceVersion":"%s"}}' "$uid" "$version" >"$SCRATCH/options"
  if kube delete --raw "/api/v1/persistentvolumes/$name" -f "$SCRATCH/options" </dev/null >/dev/null 2>"$SCRATCH/reason"; then
    note "the PersistentVolume $name is deleted"
  elif grep -qiE 'not ?found' "$SCRATCH/reason"; then
    note "the PersistentVolume $name is gone already"
  elif grep -qiE 'conflict|precondition|object has been modified' "$SCRATCH/reason"; then
    fail 75 "the PersistentVolume $name has changed while it was looked at"
  else
    fail 75 "the PersistentVolume $name cannot be deleted: $(tail -n 1 "$SCRATCH/reason")"
  fi
done <"$SCRATCH/in.volumes"
while read -r name uid version; do
  wait_until "$TIMEOUT" gone "$name" || fail 1 "the PersistentVolume $name is not gone after $TIMEOUT s; see what holds it (kubectl get pv $name -o yaml)"
done <"$SCRATCH/in.volumes"
