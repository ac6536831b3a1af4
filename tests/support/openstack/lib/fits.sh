# Whether this machine can hold the cloud and a cluster in it.
# shellcheck shell=bash

needed_memory=12 # GiB: services 4, two nodes of Kubernetes 3 each, and what runs besides
needed_disk=20   # GB: packages 1, images 6, the guests' disks

# fits: nothing, or the first reason why not.
fits() {
	[ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
	# shellcheck source=/dev/null
	(. /etc/os-release && [ "$ID $VERSION_ID" = "debian 12" ]) || { echo "needs Debian 12, whose OpenStack it is"; return 1; }
	local kib
	kib=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
	# What the kernel keeps for itself does not count.
	[ "$kib" -ge $((needed_memory * 1024 * 1024 * 95 / 100)) ] || { echo "needs $needed_memory GiB of memory"; return 1; }
	mkdir -p "$state"
	kib=$(df --output=avail "$state" | tail -n 1)
	[ "$kib" -ge $((needed_disk * 1000 * 1000)) ] || { echo "needs $needed_disk GB of disk in $state"; return 1; }
	[ -e /dev/loop-control ] || { echo "needs loop devices"; return 1; }
	unshare --net --mount --uts --pid --fork true 2>/dev/null || { echo "needs namespaces"; return 1; }
}
