#!/bin/bash
# Makes the cluster that Windlass makes of the same stack, as a good administrator's script would. It ends when every
# node is Ready and CoreDNS is available. The environment is that of nodes.sh, and FILES (the sample package's directory
# of manifests).
# shellcheck source=nodes.sh source-path=SCRIPTDIR
. "$(dirname "$0")/nodes.sh"

init_config() {
	printf 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nlocalAPIEndpoint:\n  advertiseAddress: %s\n' "$first"
	printf 'nodeRegistration:\n  ignorePreflightErrors: [SystemVerification]\n---\n'
	printf 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: %s\n' "$1"
	printf 'controlPlaneEndpoint: "%s:%s"\nnetworking:\n  podSubnet: 10.244.0.0/16\n  serviceSubnet: 10.96.0.0/16\n---\n' "$VIP" "$port"
	cat "$FILES/kubeadm-lab.yaml"
}

on_all answers "${nodes[@]}"
tell "every node answers on SSH"
on_all prepare "${nodes[@]}"
tell "every node is prepared"
on_all load_balancer "${control_planes[@]}"
until (exec 3<>"/dev/tcp/$VIP/$port") 2>/dev/null; do sleep 0.1; done
tell "HAProxy answers on the virtual IP"
init_config "$(on "$first" kubeadm version -o short </dev/null)" | on "$first" 'cat >/root/init.yaml'
on "$first" 'kubeadm init --config /root/init.yaml --upload-certs' </dev/null >"$work/init" 2>&1 || {
	tail -n 20 "$work/init" >&2
	exit 1
}
tell "the first control plane is initialised"
sed "s#__POD_CIDR__#10.244.0.0/16#" "$FILES/flannel.yaml" | kube apply -f - >/dev/null
join=$(mint_join)
key=$(awk '{ for (i = 1; i < NF; i++) if ($i == "--certificate-key") { print $(i + 1); exit } }' "$work/init")
for node in "${control_planes[@]:1}"; do # etcd takes one new member at a time
	on_all join_control_plane "$node"
	tell "the control plane $node has joined"
done
on_all join_worker "${workers[@]}"
tell "the workers have joined"
until ready; do sleep 0.5; done
tell "every node is Ready and CoreDNS is available"
