#!/bin/bash
# Makes a containerised VNF as an administrator's script would, and ends when all its Pods are ready; or takes it away.
# The environment has KUBECTL, HELM, KUBECONFIG, NAMESPACE, and FILES, the package's directory of manifests.
set -euo pipefail

case $1 in
apply)
	"$KUBECTL" apply --server-side --namespace "$NAMESPACE" -f "$FILES/parts.yaml"
	"$KUBECTL" wait --namespace "$NAMESPACE" --for=condition=Available --timeout=5m deployment --all
	;;
delete)
	"$KUBECTL" delete --namespace "$NAMESPACE" -f "$FILES/parts.yaml"
	"$KUBECTL" wait --namespace "$NAMESPACE" --for=delete --timeout=5m pod --all
	;;
install) "$HELM" install parts "$FILES/parts" --namespace "$NAMESPACE" --wait --timeout 5m ;;
uninstall) "$HELM" uninstall parts --namespace "$NAMESPACE" --wait --timeout 5m ;;
esac >/dev/null
