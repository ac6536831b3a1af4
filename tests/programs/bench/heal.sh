#!/bin/bash
# Heals a node of a cluster by hand, as a good administrator's script would: what Windlass does for the same. Called
# twice: before Heat replaces the VM, and after it.
#
#   heal.sh leave ADDRESS    drain the node and take it out of the cluster
#   heal.sh arrive ADDRESS   make the new VM a node; ends when every node is Ready and CoreDNS is available
#
# The environment is that of nodes.sh; the lists are those of the moment. ADDRESS is never the first control plane's.
# shellcheck source=nodes.sh source-path=SCRIPTDIR
. "$(dirname "$0")/nodes.sh"

node=$2
case " ${control_planes[*]} " in
*" $node "*) role=control_plane ;;
*) role=worker ;;
esac

# etcd ARGUMENTS: etcdctl in the first control plane's own member.
etcd() {
	kube "-n kube-system exec etcd-$(on "$first" hostname </dev/null) -- etcdctl --endpoints https://127.0.0.1:2379" \
		"--cacert /etc/kubernetes/pki/etcd/ca.crt --cert /etc/kubernetes/pki/etcd/server.crt --key /etc/kubernetes/pki/etcd/server.key $*" </dev/null
}

load_balancers() {
	on_all load_balancer "${control_planes[@]}"
	until (exec 3<>"/dev/tcp/$VIP/$port") 2>/dev/null; do sleep 0.1; done
}

leave() {
	local name member stay=() other
	name=$(on "$node" hostname </dev/null)
	kube "drain $name --ignore-daemonsets --delete-emptydir-data --force --timeout=300s" </dev/null >/dev/null 2>&1
	tell "$name is drained"
	if [ "$role" = control_plane ]; then
		on "$node" 'systemctl -q stop keepalived' </dev/null
		for other in "${control_planes[@]}"; do
			[ "$other" = "$node" ] || stay+=("$other")
		done
		control_planes=("${stay[@]}")
		load_balancers
		member=$(etcd member list | awk -F ', ' -v name="$name" '$3 == name { print $1 }')
		etcd member remove "$member" >/dev/null
		on "$node" 'systemctl -q stop haproxy kubelet' </dev/null
		tell "$name is out of etcd and of the load balancers"
	fi
	kube "delete node $name --wait=false" </dev/null >/dev/null
}

arrive() {
	answers "$node"
	tell "$node answers on SSH"
	prepare "$node"
	join=$(mint_join)
	if [ "$role" = control_plane ]; then
		load_balancers
		key=$(on "$first" 'kubeadm init phase upload-certs --upload-certs' </dev/null 2>/dev/null | tail -n 1)
		join_control_plane "$node" >"$work/join" 2>&1
	else
		join_worker "$node" >"$work/join" 2>&1
	fi || {
		tail -n 20 "$work/join" >&2
		exit 1
	}
	tell "$node has joined"
	until ready; do sleep 0.5; done
	tell "every node is Ready and CoreDNS is available"
}

"$1"
