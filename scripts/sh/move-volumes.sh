# shellcheck shell=bash
# The address in a PersistentVolume cannot be changed, so that one is deleted and made again under its name, for the claim that it
# had. First they are kept in a ConfigMap, as they are: who comes after an interruption goes on with those.
KEPT=windlass-moving-$CLASS
AT_ONCE=200 # what a ConfigMap holds with ease
RETAIN='{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'
NEXT='{"metadata":{"uid":null,"resourceVersion":null,"generation":null,"creationTimestamp":null,"deletionTimestamp":null,"deletionGracePeriodSeconds":null,"finalizers":null,"managedFields":null,"selfLink":null},"spec":{"nfs":{"server":"'$SERVER'"}},"status":null}'

# elsewhere prints the names of the class's volumes that are at another address, and not about to be deleted.
elsewhere() {
  local name server provisioner deleted
  # shellcheck disable=SC2016 # variables of the template
  kube get persistentvolumes -o go-template='{{range .items}}{{.metadata.name}}|{{with .spec.nfs}}{{.server}}{{end}}|{{with .metadata.annotations}}{{with index . "pv.kubernetes.io/provisioned-by"}}{{.}}{{end}}{{end}}|{{with .metadata.deletionTimestamp}}{{.}}{{end}}{{"\n"}}{{end}}' >"$SCRATCH/list" 2>"$SCRATCH/reason" ||
    fail 75 "the API server does not list its volumes: $(tail -n 1 "$SCRATCH/reason")"
  while IFS='|' read -r name server provisioner deleted; do
    [[ $provisioner != "$PROVISIONER" || $server == "$SERVER" || -z $server || -n $deleted ]] || printf '%s\n' "$name"
  done <"$SCRATCH/list"
}

# keep reads what an earlier run has kept, which is not written over, and adds what there is. $FOUND says whether there is anything.
keep() {
  local name text there
  rm -rf "$SCRATCH/kept"
  mkdir -p "$SCRATCH/kept"
  : >"$SCRATCH/before"
  there=$(kube -n "$NAMESPACE" get configmap "$KEPT" --ignore-not-found -o name) || fail 75 "the ConfigMap $KEPT cannot be looked for"
  if [[ -n $there ]]; then
    # shellcheck disable=SC2016
    kube -n "$NAMESPACE" get configmap "$KEPT" -o go-template='{{range $name, $text := .data}}{{$name}} {{$text}}{{"\n"}}{{end}}' >"$SCRATCH/before" ||
      fail 75 "the ConfigMap $KEPT cannot be read"
  fi
  while read -r name text; do
    [[ -z $name ]] || base64 -d <<<"$text" >"$SCRATCH/kept/$name"
  done <"$SCRATCH/before"
  elsewhere >"$SCRATCH/all"
  head -n "$AT_ONCE" "$SCRATCH/all" >"$SCRATCH/names"
  FOUND=yes
  if [[ ! -s $SCRATCH/names ]]; then
    [[ -n $there ]] || FOUND=no
    return 0
  fi
  while read -r name; do
    [[ ! -e $SCRATCH/kept/$name ]] || continue
    kube get persistentvolume "$name" -o json </dev/null >"$SCRATCH/kept/$name" || fail 75 "the PersistentVolume $name cannot be read"
  done <"$SCRATCH/names"
  {
    printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "%s", namespace: "%s"}\ndata:\n' "$KEPT" "$NAMESPACE"
    for name in "$SCRATCH/kept"/*; do printf '  "%s": "%s"\n' "${name##*/}" "$(base64 -w0 <"$name")"; done
  } >"$SCRATCH/configmap"
  attempt "the volumes of the StorageClass $CLASS cannot be kept while they move" \
    kube apply --server-side --force-conflicts --field-manager=windlass -f "$SCRATCH/configmap"
}

gone() { [[ -z $(kube get persistentvolume "$1" --ignore-not-found -o name </dev/null 2>/dev/null || echo unknown) ]]; }

settled() {
  local phase
  phase=$(kube get persistentvolume "$1" -o jsonpath='{.status.phase}' </dev/null 2>/dev/null || true)
  [[ $phase == Bound || $phase == Released || $phase == Available ]]
}

# move NAME
move() {
  local server
  server=$(kube get persistentvolume "$1" --ignore-not-found -o jsonpath='{.spec.nfs.server}' </dev/null) || fail 75 "the PersistentVolume $1 cannot be read"
  if [[ -n $server && $server != "$SERVER" ]]; then
    # From here on nobody takes its directory for one to delete.
    attempt "the PersistentVolume $1 cannot be changed" kube patch persistentvolume "$1" --type=merge -p "$RETAIN"
    attempt "the PersistentVolume $1 cannot be deleted" kube delete persistentvolume "$1" --wait=false --ignore-not-found
    # It is held as long as its claim is bound to it, which is to stay.
    kube patch persistentvolume "$1" --type=merge -p '{"metadata":{"finalizers":null}}' </dev/null >/dev/null 2>&1 || true
    wait_until "$TIMEOUT" gone "$1" || fail 1 "the PersistentVolume $1 is not gone after $TIMEOUT s; see what holds it (kubectl get pv $1 -o yaml)"
    server=''
  fi
  if [[ -z $server ]]; then
    kubectl patch --local -f "$SCRATCH/kept/$1" --type=merge -p "$NEXT" -o json </dev/null >"$SCRATCH/next" 2>"$SCRATCH/reason" ||
      fail 1 "the PersistentVolume $1 cannot be written again: $(tail -n 1 "$SCRATCH/reason")"
    attempt "the PersistentVolume $1 cannot be made again" kube create -f "$SCRATCH/next"
  fi
  wait_until "$TIMEOUT" settled "$1" || fail 1 "the PersistentVolume $1 is not bound to its claim after $TIMEOUT s (kubectl get pv $1 -o yaml)"
  note "the PersistentVolume $1 is at $SERVER"
}

need_api
while :; do
  keep
  [[ $FOUND == yes ]] || break
  for file in "$SCRATCH/kept"/*; do
    [[ ! -e $file ]] || move "${file##*/}"
  done
  attempt "the ConfigMap $KEPT cannot be deleted" kube -n "$NAMESPACE" delete configmap "$KEPT" --ignore-not-found
done
