# shellcheck shell=bash
need_api
attempt "the join token cannot be deleted" kube -n kube-system delete secret -l "windlass/operation=$OPERATION" --ignore-not-found
attempt "the shared certificates cannot be deleted" kube -n kube-system delete secret kubeadm-certs --ignore-not-found
# kubeadm keeps a token of its own that would delete the shared certificates.
kube -n kube-system get secrets --field-selector type=bootstrap.kubernetes.io/token -o \
  jsonpath='{range .items[*]}{.metadata.name}{" "}{.data.description}{"\n"}{end}' >"$SCRATCH/tokens" || fail 75 "the tokens cannot be listed"
while read -r name description; do
  if base64 -d <<<"$description" 2>/dev/null | grep -q 'kubeadm-certs'; then
    attempt "the token of the shared certificates cannot be deleted" kube -n kube-system delete secret "$name" --ignore-not-found
  fi
done <"$SCRATCH/tokens"
