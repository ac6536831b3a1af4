# shellcheck shell=bash
need_api
# Since Kubernetes 1.24 an account has no token unless a secret asks for one; it has no end, as a VIM needs.
cat >"$SCRATCH/account.yaml" <<'ACCOUNT'
apiVersion: v1
kind: ServiceAccount
metadata: {name: windlass-vnfm, namespace: kube-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: windlass-vnfm}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: windlass-vnfm, namespace: kube-system}]
---
apiVersion: v1
kind: Secret
metadata:
  name: windlass-vnfm-token
  namespace: kube-system
  annotations: {kubernetes.io/service-account.name: windlass-vnfm}
type: kubernetes.io/service-account-token
ACCOUNT
attempt "the service account cannot be made" kube apply -f "$SCRATCH/account.yaml"

filled() {
  kube -n kube-system get secret windlass-vnfm-token -o jsonpath='{.data.token}' >"$SCRATCH/token" 2>/dev/null && [[ -s $SCRATCH/token ]]
}
wait_until "$TIMEOUT" filled || fail 75 "the controller manager has not filled the token of windlass-vnfm"
write_file "$TOKEN_FILE" 0600 < <(base64 -d <"$SCRATCH/token")
result ca "$(base64 -w0 </etc/kubernetes/pki/ca.crt)"
