# shellcheck shell=bash
pods() { kube -n "$NAMESPACE" get pods -l "windlass/storage-class=$1" -o name 2>/dev/null || echo unknown; }
gone() { [[ -z $(pods "$1") ]]; }

need_api
replicas=1
[[ $STOP == no ]] || replicas=0
for class in $CLASSES; do
  there=$(kube -n "$NAMESPACE" get deployment "nfs-$class" --ignore-not-found -o name) || fail 75 "the provisioner of the StorageClass $class cannot be looked for"
  if [[ -z $there ]]; then
    note "the StorageClass $class has no provisioner"
    continue
  fi
  attempt "the provisioner of the StorageClass $class cannot be scaled" kube -n "$NAMESPACE" scale deployment "nfs-$class" --replicas "$replicas"
done
[[ $STOP == yes ]] || exit 0
for class in $CLASSES; do
  if ! wait_until "$TIMEOUT" gone "$class"; then
    # kubelet cannot unmount what a dead server exports. What such a pod still does is what it was asked to do before.
    note "the provisioner of the StorageClass $class does not end: its pod is deleted by force"
    kube -n "$NAMESPACE" delete pods -l "windlass/storage-class=$class" --force --grace-period=0 --wait=false </dev/null || true
    wait_until "$TIMEOUT" gone "$class" || fail 1 "the provisioner of the StorageClass $class is not gone after $TIMEOUT s; see what holds its pod (kubectl -n $NAMESPACE get pods)"
  fi
  note "the provisioner of the StorageClass $class has stopped"
done
