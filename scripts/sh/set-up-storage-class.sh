# shellcheck shell=bash
SAID=''

# say SENTENCE: once as long as it stays the same.
say() {
  [[ $1 == "$SAID" ]] || note "$1"
  SAID=$1
}

in_namespace() { kube -n "$NAMESPACE" "$@"; }

# why_not is what Kubernetes says of the provisioner's pod.
why_not() {
  in_namespace get pods -l "windlass/storage-class=$CLASS" -o jsonpath='{range .items[*]}{.metadata.name} is {.status.phase} {.status.containerStatuses[*].state.waiting.reason} {.status.containerStatuses[*].state.waiting.message} {.status.conditions[?(@.status=="False")].message}{"\n"}{end}' 2>/dev/null | tail -n 1 | tr -s ' '
  in_namespace get events --field-selector type=Warning --sort-by=.metadata.creationTimestamp -o jsonpath='{range .items[*]}{.involvedObject.name}: {.message}{"\n"}{end}' 2>/dev/null | grep "^$DEPLOYMENT-" | tail -n 1 | tr '\n' ' '
}

available() {
  local generation observed all updated ready
  IFS='|' read -r generation observed all updated ready < <(in_namespace get deployment "$DEPLOYMENT" \
    -o jsonpath='{.metadata.generation}|{.status.observedGeneration}|{.status.replicas}|{.status.updatedReplicas}|{.status.availableReplicas}' 2>/dev/null) || true
  [[ -n $generation && $observed == "$generation" && $all == 1 && $updated == 1 && $ready == 1 ]] && return
  say "waiting for the provisioner $DEPLOYMENT: $(why_not | paste -sd ' ')"
  return 1
}

bound() {
  VOLUME=$(in_namespace get persistentvolumeclaim "$PROBE" -o jsonpath='{.status.phase} {.spec.volumeName}' 2>/dev/null) || return 1
  [[ $VOLUME == 'Bound '?* ]] || return 1
  VOLUME=${VOLUME#Bound }
}

gone() { [[ -z $(kube get "$@" --ignore-not-found -o name 2>/dev/null || echo unknown) ]]; }

claim_reason() {
  in_namespace get events --field-selector "involvedObject.name=$PROBE" --sort-by=.metadata.creationTimestamp -o jsonpath='{range .items[*]}{.message}{"\n"}{end}' 2>/dev/null | tail -n 1
}

# end_probe: the class goes last, since the provisioner reads there what becomes of the directory.
end_probe() {
  attempt "the claim $PROBE cannot be deleted" in_namespace delete persistentvolumeclaim "$PROBE" --ignore-not-found --wait=false
  wait_until "$TIMEOUT" gone -n "$NAMESPACE" persistentvolumeclaim "$PROBE" || fail 1 "the claim $PROBE of the namespace $NAMESPACE is not gone after $TIMEOUT s; see what holds it"
  if [[ -n $1 ]]; then
    wait_until "$TIMEOUT" gone persistentvolume "$1" ||
      fail 1 "the provisioner $DEPLOYMENT has not deleted the volume $1 after $TIMEOUT s: $(kube get persistentvolume "$1" -o jsonpath='{.status.phase} {.status.message}' 2>/dev/null)"
  fi
  attempt "the class $PROBE cannot be deleted" kube delete storageclass "$PROBE" --ignore-not-found
}

read_inputs
need_input manifest probe
need_api
attempt "the StorageClass $CLASS cannot be applied" kube apply --server-side --force-conflicts --field-manager=windlass -f "$SCRATCH/in.manifest"
wait_until "$TIMEOUT" available ||
  fail 1 "the provisioner $DEPLOYMENT of the StorageClass $CLASS is not available after $TIMEOUT s: $(why_not | paste -sd ' '); see that the nodes can pull its image"
note "the provisioner $DEPLOYMENT is available"
# A claim of an interrupted run may be on its way out.
bound || VOLUME=''
end_probe "$VOLUME"
attempt "the claim $PROBE cannot be made" kube apply --server-side --force-conflicts --field-manager=windlass -f "$SCRATCH/in.probe"
wait_until "$TIMEOUT" bound || {
  reason=$(claim_reason)
  fail 1 "the provisioner $DEPLOYMENT has made no volume for a claim after $TIMEOUT s: ${reason:-it says nothing}; look at its log (kubectl -n $NAMESPACE logs deployment/$DEPLOYMENT)"
}
end_probe "$VOLUME"
note "claims of the StorageClass $CLASS get volumes"
