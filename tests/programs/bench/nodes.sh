#!/bin/bash
# What the scripts of the benchmark have in common: plain kubeadm over SSH, one kept connection a node, everything
# parallel that may be. The environment says where: CONTROL_PLANES, WORKERS (addresses), VIP, and SSHPASS (the password
# of the user debian).
# shellcheck disable=SC2034 # used by those who source this
set -euo pipefail

read -ra control_planes <<<"${CONTROL_PLANES:?}"
read -ra workers <<<"${WORKERS:?}"
nodes=("${control_planes[@]}" "${workers[@]}")
first=${control_planes[0]}
port=16443
join='' key=''

work=$(mktemp -d)
ssh_options=(-q -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=2 -o PreferredAuthentications=password
	-o ControlMaster=auto -o "ControlPath=$work/%h" -o ControlPersist=600)
disconnect() {
	local node
	for node in "${nodes[@]}"; do
		ssh "${ssh_options[@]}" -O exit "debian@$node" 2>/dev/null || true
	done
	rm -rf "$work"
}
trap disconnect EXIT

began=$SECONDS
tell() { printf '  +%4d s  %s\n' $((SECONDS - began)) "$*"; }

# on NODE COMMAND: as root; standard input goes to the command.
on() {
	local node=$1
	shift
	sshpass -e ssh "${ssh_options[@]}" "debian@$node" "sudo -n bash -euo pipefail -c $(printf %q "$*")"
}

# on_all FUNCTION NODE...: at once on every node; fails when one of them does.
on_all() {
	local do=$1 node pids=() pid
	shift
	for node in "$@"; do
		"$do" "$node" >"$work/log-$do-$node" 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || {
			tail -n 20 "$work/log-$do-"* >&2
			exit 1
		}
	done
}

answers() { until on "$1" true </dev/null; do sleep 0.2; done; }

prepare() {
	on "$1" '
		if command -v cloud-init >/dev/null; then cloud-init status --wait >/dev/null || true; fi
		echo 1 >/proc/sys/net/ipv4/ip_forward
		containerd config default | sed -e "s/SystemdCgroup = false/SystemdCgroup = true/" \
			-e "s#pause:[0-9.]*#pause:3.10.1#" >/etc/containerd/config.toml
		mkdir -p /opt/cni/bin
		cp -p /usr/lib/cni/* /opt/cni/bin/
		systemctl restart containerd
		systemctl -q enable containerd
		systemctl -q enable kubelet' </dev/null
}

haproxy_config() {
	printf 'defaults\n mode tcp\n timeout connect 1s\n timeout check 3s\n retries 2\n option redispatch 1\n timeout client 4h\n timeout server 4h\n'
	printf 'frontend api\n bind *:%s\n default_backend api\nbackend api\n option httpchk GET /readyz\n' "$port"
	printf ' http-check expect rstatus ^(200|401)$\n'
	printf ' default-server observe layer4 error-limit 3 on-error mark-down\n'
	printf ' default-server check check-ssl verify none inter 1s fastinter 500ms downinter 500ms fall 3 rise 1\n'
	local node
	for node in "${control_planes[@]}"; do
		printf ' server cp-%s %s:6443\n' "${node##*.}" "$node"
	done
}

# keepalived_config NODE
keepalived_config() {
	local node priority=103
	for node in "${control_planes[@]}"; do
		[ "$node" != "$1" ] || break
		priority=$((priority - 1))
	done
	printf 'global_defs {\n enable_script_security\n script_user root\n}\n'
	printf 'vrrp_script haproxy {\n script "/bin/systemctl is-active --quiet haproxy"\n interval 2\n fall 2\n rise 1\n}\n'
	printf 'vrrp_instance api {\n state BACKUP\n interface eth0\n virtual_router_id 77\n priority %s\n advert_int 1\n' "$priority"
	printf ' unicast_src_ip %s\n unicast_peer {\n' "$1"
	for node in "${control_planes[@]}"; do
		[ "$node" = "$1" ] || printf '  %s\n' "$node"
	done
	printf ' }\n virtual_ipaddress {\n  %s/24\n }\n track_script {\n  haproxy\n }\n}\n' "$VIP"
}

load_balancer() {
	haproxy_config | on "$1" 'cat >/etc/haproxy/haproxy.cfg'
	keepalived_config "$1" | on "$1" 'cat >/etc/keepalived/keepalived.conf; systemctl -q enable haproxy keepalived; systemctl restart haproxy keepalived'
}

kube() { on "$first" "kubectl --kubeconfig /etc/kubernetes/admin.conf $*"; }

join_control_plane() { on "$1" "$join --control-plane --certificate-key $key --ignore-preflight-errors=SystemVerification" </dev/null; }
join_worker() { on "$1" "$join --ignore-preflight-errors=SystemVerification" </dev/null; }

ready() {
	[ "$(kube get nodes --no-headers </dev/null 2>/dev/null | awk '$2 == "Ready"' | wc -l)" = "${#nodes[@]}" ] &&
		[ "$(kube -n kube-system get deployment coredns -o 'jsonpath={.status.availableReplicas}' </dev/null 2>/dev/null || true)" -gt 0 ] 2>/dev/null
}

# mint_join: what a node runs to join.
mint_join() { on "$first" 'kubeadm token create --print-join-command' </dev/null 2>/dev/null | grep '^kubeadm join'; }
