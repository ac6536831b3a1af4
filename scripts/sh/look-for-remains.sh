# shellcheck shell=bash
# It only looks. kubeadm has written one of these files when it has begun to make the node, and kubespray does not call it
# again then.
remains=no
for file in /etc/kubernetes/admin.conf /etc/kubernetes/kubelet.conf /var/lib/kubelet/config.yaml; do
  [[ ! -e $file ]] || remains=yes
done
result remains "$remains"
