# shellcheck shell=bash
# Runs on an Ansible server without the Internet. It serves what kubespray downloads, and writes the variables that tell
# kubespray so to inventory/sample of the kubespray in $KUBESPRAY. $ADDRESS is the server's own.
files=~/mirror
mkdir -p $files
cd $files || exit 1
cp /usr/bin/kubeadm /usr/bin/kubelet /usr/bin/kubectl /usr/sbin/runc .
etcd=$(/usr/local/share/downloads/etcd --version | awk '/etcd Version/ {print $3}')
tree=etcd-v$etcd-linux-amd64
mkdir -p $tree
cp /usr/local/share/downloads/etcd* $tree/
tar czf etcd.tar.gz $tree
tar czf crictl.tar.gz -C /usr/local/share/downloads crictl
tar czf cni.tgz -C /usr/lib/cni .
tar czf containerd.tar.gz -C /usr bin/containerd bin/containerd-shim-runc-v2 bin/ctr
setsid -f python3 -m http.server 8000 >/dev/null 2>&1 </dev/null

sum() { printf 'sha256:%s' "$(sha256sum "$files/$1" | cut -d' ' -f1)"; }
# Variables of inventory/sample are copied for each cluster. The file that comes last in the alphabet takes precedence.
cat >"$KUBESPRAY/inventory/sample/group_vars/k8s_cluster/zz-offline.yml" <<VARIABLES
kube_version: "$(kubeadm version -o short | tr -d v)"
files: "http://$ADDRESS:8000"
kubeadm_download_url: "{{ files }}/kubeadm"
kubeadm_binary_checksum: "$(sum kubeadm)"
kubelet_download_url: "{{ files }}/kubelet"
kubelet_binary_checksum: "$(sum kubelet)"
kubectl_download_url: "{{ files }}/kubectl"
kubectl_binary_checksum: "$(sum kubectl)"
cni_download_url: "{{ files }}/cni.tgz"
cni_binary_checksum: "$(sum cni.tgz)"
etcd_version: "$etcd"
etcd_download_url: "{{ files }}/etcd.tar.gz"
etcd_binary_checksum: "$(sum etcd.tar.gz)"
crictl_download_url: "{{ files }}/crictl.tar.gz"
crictl_binary_checksum: "$(sum crictl.tar.gz)"
# The nodes have Debian's containerd. kubespray fetches these in spite of that; any archive is a good nerdctl.
deploy_container_engine: false
runc_download_url: "{{ files }}/runc"
runc_binary_checksum: "$(sum runc)"
containerd_download_url: "{{ files }}/containerd.tar.gz"
containerd_archive_checksum: "$(sum containerd.tar.gz)"
nerdctl_download_url: "{{ files }}/crictl.tar.gz"
nerdctl_archive_checksum: "$(sum crictl.tar.gz)"
# The nodes have all images, and reset.yml must not remove them.
containerd_storage_dir: /var/lib/containerd-of-kubespray
download_container: false
skip_kubeadm_images: true
coredns_version: 1.12.1
pod_infra_version: 3.10.1
loadbalancer_apiserver_type: haproxy
haproxy_image_repo: lab.local/haproxy
haproxy_image_tag: v1
kube_network_plugin: custom_cni
custom_cni_manifests: [$HOME/flannel.yaml]
enable_nodelocaldns: false
enable_dns_autoscaler: false
# The machines have no resolver, and share one kernel and one disk.
resolvconf_mode: none
kube_proxy_mode: iptables
kube_proxy_conntrack_max_per_core: 0
kube_proxy_conntrack_min: 0
kube_proxy_oom_score_adj: 0
kubelet_fail_swap_on: false
kubelet_swap_behavior: NoSwap
eviction_hard: {memory.available: 100Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0%, imagefs.inodesFree: 0%}
kubelet_config_extra_args: {oomScoreAdj: 0, imageGCHighThresholdPercent: 100}
unsafe_show_logs: true
VARIABLES
