# shellcheck shell=bash
# kubeadm writes the address of the first control plane, and the names of its certificates for etcd, into files of every
# control plane and into what joining nodes read. When that node is gone, neither kubectl nor a node that joins finds the
# cluster, and API servers do not start again: kubespray deletes the certificates.
MANIFEST=/etc/kubernetes/manifests/kube-apiserver.yaml

# point FILE replaces what control planes that are gone have; it fails if the file has nothing of them.
point() {
  local gone found=1
  for gone in $GONE; do
    gone=$(host_port "$gone" 6443) gone=${gone//./\\.} gone=${gone//[/\\[}
    change "$1" "\([/ ]\)$gone" "\1$(host_port "$ADDRESS" 6443)" && found=0
  done
  for gone in $GONE_NODES; do
    change "$1" "/node-$gone\(-key\)\{0,1\}\.pem" "/node-$NODE_NAME\1.pem" && found=0
  done
  return "$found"
}

# change FILE PATTERN TEXT
change() {
  grep -q "$2" "$1" 2>/dev/null && sed -i "s#$2#$3#g" "$1"
}

# restarted: the API server that runs has the certificate of this node.
restarted() {
  grep -qsa -e "--etcd-certfile=[^[:cntrl:]]*/node-$NODE_NAME\.pem" /proc/[0-9]*/cmdline && api_ready
}

for file in "$ADMIN_CONF" /root/.kube/config; do
  if point "$file"; then note "$file names this control plane now"; fi
done
cp -p "$MANIFEST" "$SCRATCH/manifest" # kubelet reads every file beside the manifest, also that of sed
if point "$SCRATCH/manifest"; then
  cat "$SCRATCH/manifest" >"$MANIFEST"
  note "the API server starts again with the certificate of this node"
  wait_until 180 restarted || fail 75 "the API server does not start again with the certificate of this node"
fi
need_api
for name in kube-public/cluster-info kube-system/kubeadm-config; do
  kube -n "${name%/*}" get configmap "${name#*/}" -o yaml >"$SCRATCH/map" 2>"$SCRATCH/reason" ||
    fail 75 "the ConfigMap $name cannot be read: $(tail -n 1 "$SCRATCH/reason")"
  point "$SCRATCH/map" || continue
  kube replace -f "$SCRATCH/map" >/dev/null 2>"$SCRATCH/reason" ||
    fail 75 "the ConfigMap $name cannot be changed: $(tail -n 1 "$SCRATCH/reason")"
  note "the ConfigMap $name names this control plane now"
done
