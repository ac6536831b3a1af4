# shellcheck shell=bash
read_inputs
need_input token
need_api

# A token of an earlier try has no use any more.
kube -n kube-system delete secret -l "windlass/operation=$OPERATION" --ignore-not-found >/dev/null
token=$(<"$SCRATCH/in.token")
kube create -f - >/dev/null <<TOKEN
apiVersion: v1
kind: Secret
metadata:
  name: bootstrap-token-${token%%.*}
  namespace: kube-system
  labels: {windlass/operation: "$OPERATION"}
type: bootstrap.kubernetes.io/token
stringData:
  description: "one join by Windlass"
  token-id: "${token%%.*}"
  token-secret: "${token#*.}"
  expiration: "$(date -u -d "+$TTL seconds" +%Y-%m-%dT%H:%M:%SZ)"
  usage-bootstrap-authentication: "true"
  usage-bootstrap-signing: "true"
  auth-extra-groups: system:bootstrappers:kubeadm:default-node-token
TOKEN
note "made the token ${token%%.*}, good for $TTL s"

if [[ -s $SCRATCH/in.certificate_key ]]; then
  # With the cluster's own configuration kubeadm need not ask the internet for the newest release.
  cat >"$SCRATCH/certs.yaml" <<CONFIG
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
certificateKey: "$(<"$SCRATCH/in.certificate_key")"
localAPIEndpoint: {advertiseAddress: "$ADDRESS"}
---
$(kube -n kube-system get configmap kubeadm-config -o jsonpath='{.data.ClusterConfiguration}')
CONFIG
  attempt "the control plane's certificates cannot be shared" \
    kubeadm init phase upload-certs --upload-certs --skip-certificate-key-print --config "$SCRATCH/certs.yaml"
fi
# Discovery signs cluster-info with the token; a join that comes sooner would wait for its next look.
signed() { [[ $(kube -n kube-public get configmap cluster-info -o jsonpath='{.data}' 2>/dev/null) == *"jws-kubeconfig-${token%%.*}"* ]]; }
wait_until "$TIMEOUT" signed || fail 75 "the controller manager does not sign the join token"
result ca "$(base64 -w0 </etc/kubernetes/pki/ca.crt)"
