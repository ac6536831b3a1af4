#!/bin/bash
# init.sh STATE HOSTNAME: the first process of the namespaces. It prepares them and then takes care of
# orphans, as bash does by itself.
set -euo pipefail
state=$1
hostname "$2"

ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns /run/libvirt
mount -t sysfs sysfs /sys # agents look for interfaces there; control groups are left out on purpose

# libvirt has no option for these.
mkdir -p "$state"/libvirt/{lib,cache,log,etc}
for pair in /var/lib/libvirt:lib /var/cache/libvirt:cache /var/log/libvirt:log /etc/libvirt:etc; do
	mkdir -p "${pair%:*}"
	mount --bind "$state/libvirt/${pair#*:}" "${pair%:*}"
done
printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$2" >"$state/run/hosts"
mount --bind "$state/run/hosts" /etc/hosts
: >"$state/run/resolv.conf" # guests' lookups are refused at once instead of going unanswered
mount --bind "$state/run/resolv.conf" /etc/resolv.conf

# Each network that the cloud knows as physical is a veth pair: a bridge of the agent takes one end,
# the other is its gateway.
for net in net0:10.88.0.1 public:10.88.1.1; do
	ip link add "gw-${net%:*}" type veth peer name "phys-${net%:*}"
	ip address add "${net#*:}/24" dev "gw-${net%:*}"
	ip link set "gw-${net%:*}" up
	ip link set "phys-${net%:*}" up
done

: >"$state/run/namespace.up"
while :; do
	sleep 3600 &
	wait
done
