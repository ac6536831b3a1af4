# What a user of the cloud needs: a file to source and, by cloud.py, a file for tests.
# shellcheck shell=bash

write_client_files() {
	(
		umask 077
		cat >"$state/openrc" <<-EOF
			export OS_AUTH_URL=https://$api_address:15000/v3 OS_CACERT=$secrets/ca.crt
			export OS_USERNAME=demo OS_PASSWORD=$(cat "$secrets/demo") OS_PROJECT_NAME=demo
			export OS_USER_DOMAIN_NAME=Default OS_PROJECT_DOMAIN_NAME=Default OS_REGION_NAME=$region
			export OS_IDENTITY_API_VERSION=3 OS_VOLUME_API_VERSION=3 PYTHONWARNINGS=ignore
			export WINDLASS_OPENSTACK_CLOUD=$state/cloud.json
		EOF
		sed -e 's/=demo\b/=admin/g' -e "s/OS_PASSWORD=[^ ]*/OS_PASSWORD=$(cat "$secrets/admin")/" \
			"$state/openrc" >"$state/openrc-admin"
	)
}

show_client_files() {
	cat <<-EOF
		        user demo:  . $state/openrc          (an administrator: . $state/openrc-admin)
		        for tests:  $state/cloud.json
		        then:       openstack image list; openstack stack create ...
		        a guest:    ssh -i $secrets/id_guest debian@ADDRESS, once its security group lets port 22 in
	EOF
}

# memory_in_use: MiB of all processes in the namespaces, shared libraries counted once.
memory_in_use() {
	local mine pid
	mine=$(readlink "/proc/$(namespace_pid)/ns/pid")
	for pid in /proc/[0-9]*; do
		[ "$(readlink "$pid/ns/pid")" = "$mine" ] || continue
		awk '/^Pss:/ { print $2 }' "$pid/smaps_rollup" 2>/dev/null
	done | awk '{ kib += $1 } END { print int(kib / 1024) }'
}
