# Everything runs in namespaces of its own: network, mounts, processes and host name. Nothing of it
# listens on the host, its firewall rules and bridges are not the host's, and all of it ends with the
# first process of the namespaces.
# shellcheck shell=bash

namespace_runs() { runs namespace && [ -e "$run/namespace.up" ]; }

# The first process in the namespaces, as the host sees it.
namespace_pid() {
	local parent child
	read -r parent _ <"$run/namespace.pid"
	read -r child _ <"/proc/$parent/task/$parent/children"
	echo "$child"
}

start_namespace() {
	namespace_runs && return
	rm -f "$run"/*.pid "$run/namespace.up" # what ran there before is gone
	daemon namespace unshare --net --mount --uts --pid --fork --kill-child --mount-proc --propagation private \
		bash "$here/lib/init.sh" "$state" "$compute_host"
	await 20 namespace "namespaces" test -e "$run/namespace.up"
	connect_host
	say "namespaces are up"
}

# connect_host: the host's way to the APIs and to the guests.
connect_host() {
	ip link add "$host_interface" type veth peer name api netns "$(namespace_pid)" ||
		give_up "The network interface $host_interface cannot be made: is another one up in another directory?"
	ip address add "$host_address/30" dev "$host_interface"
	ip link set "$host_interface" up
	in_namespace ip address add "$api_address/30" dev api
	in_namespace ip link set api up
	in_namespace ip route add default via "$host_address"
	ip route add "$guest_range" via "$api_address"
}

in_namespace() {
	nsenter --target "$(namespace_pid)" --mount --net --uts --pid -- "$@" 9>&-
}

stop_namespace() {
	local pid start end=$((SECONDS + 30))
	runs namespace || return 0
	read -r pid start <"$run/namespace.pid"
	kill -KILL "$pid" # the kernel ends all in the namespace with it
	while [ -e "/proc/$pid" ] && [ "$(start_time "$pid")" = "$start" ]; do
		[ $SECONDS -lt $end ] || give_up "The namespaces did not end within 30 s."
		sleep 0.1
	done
	while ip link show "$host_interface" >/dev/null 2>&1 || mounted_anywhere; do
		[ $SECONDS -lt $end ] || give_up "The namespaces did not end within 30 s."
		sleep 0.1
	done
}

# mounted_anywhere: a process of the namespaces is still there.
mounted_anywhere() { grep -ls " $state/libvirt" /proc/[0-9]*/mountinfo >/dev/null 2>&1; }

# Volumes of Cinder are loop devices, which namespaces do not part.
detach_volumes() {
	local device file
	losetup --noheadings --list --output NAME,BACK-FILE | while read -r device file; do
		case $file in "$var/cinder/"*) losetup --detach "$device" ;; esac
	done
}
