#!/bin/bash
# inside.sh up|seed|restart|status: the part of openstack.sh that runs in the namespaces.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in lib/settings lib/report lib/process lib/secrets lib/render \
	services/infrastructure services/keystone services/heat services/glance services/placement \
	services/neutron services/nova services/cinder; do
	# shellcheck source=/dev/null
	source "$here/$part.sh"
done

up() {
	render_all
	start_infrastructure
	make_databases
	say "database, message queue and cache are up"
	start_keystone
	make_schemas &
	local schemas=$!
	await_keystone
	say "Keystone is up"
	wait "$schemas" || exit 1
	start_heat
	start_glance
	start_placement
	start_neutron
	start_nova
	start_cinder
	await_services
	say "all services are up"
}

# Two streams: one would leave a core idle, more make all of them slower.
make_schemas() {
	{ neutron_schema && placement_schema && glance_schema; } &
	local first=$!
	heat_schema && nova_schema && cinder_schema && wait "$first"
}

await_services() {
	local name
	for name in heat-api:8004 heat-cfn:8000 glance:9292 nova-api:8774 cinder-api:8776; do
		await_port "${name%:*}" "${name#*:}"
	done
}

# What needs the images: networks, flavors, images, keys; and it waits for the agents.
seed() {
	export_settings
	python3 "$here/cloud.py" seed "$state" >>"$log/seed.log" 2>&1 || give_up "The cloud could not be filled." "$log/seed.log"
	say "network agents, hypervisor, networks, flavors and guest images are there"
}

# restart NAME...: for a change of its configuration; guests run on.
restart() {
	local name
	for name in "$@"; do halt "$name"; done
	up
}

status() {
	local name total=0 mib
	for name in "$run"/*.pid; do
		name=$(basename "$name" .pid)
		[ "$name" != namespace ] || continue
		if runs "$name"; then
			mib=$(session_memory "$name")
			total=$((total + mib))
			printf '%-22s %5d MiB\n' "$name" "$mib"
		else
			printf '%-22s does not run\n' "$name"
		fi
	done
	printf '%-22s %5d MiB\n' "all services" "$total"
	virsh --quiet --connect qemu:///system list
}

# The share of memory that is a daemon's own: libraries are divided among those who use them.
session_memory() {
	local session
	read -r session _ <"$run/$1.pid"
	for pid in $(ps -o pid= --sid "$session"); do
		awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2>/dev/null
	done | awk '{ kib += $1 } END { print int(kib / 1024) }'
}

"$@"
