# Neutron with Linux bridges: networks net0 and public are flat, those of tenants are bridges alone.
# shellcheck shell=bash

neutron_config=(--config-file "$etc/common.conf" --config-file "$etc/neutron.conf")

neutron_schema() { once neutron-schema neutron-db-manage "${neutron_config[@]}" upgrade heads; }

start_neutron() {
	daemon neutron-server neutron-server "${neutron_config[@]}"
	# An agent that calls before the server listens loses a minute to its own timeout.
	await_port neutron-server 9696
	mkdir -p "$run/bin"
	cp "$here/shims/ebtables" "$run/bin/"
	local agent
	for agent in linuxbridge dhcp l3 metadata; do
		daemon "neutron-$agent" env PATH="$run/bin:$PATH" "neutron-$agent-agent" "${neutron_config[@]}" --config-file "$etc/neutron-$agent.conf"
	done
}
