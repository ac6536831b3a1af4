# Debian's packages of the services, and what builds the guests.
# shellcheck shell=bash

packages=(
	mariadb-server rabbitmq-server memcached haproxy openssl gettext-base
	python3-pymysql python3-memcache uwsgi-core uwsgi-plugin-python3 python3-openstackclient
	keystone
	heat-api heat-engine python3-heatclient
	glance-api
	placement-api python3-osc-placement
	neutron-server neutron-linuxbridge-agent neutron-dhcp-agent neutron-l3-agent neutron-metadata-agent
	iptables ipset ebtables
	nova-api nova-scheduler nova-conductor nova-compute nova-compute-kvm libvirt-daemon-driver-qemu
	python3-libvirt genisoimage
	cinder-api cinder-scheduler cinder-volume
	mmdebstrap busybox-static kmod cpio e2fsprogs qemu-utils iproute2 openssh-client # guests
)

install_packages() {
	local missing=() package
	for package in "${packages[@]}"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing ${#missing[@]} packages with what they need, about 190 MB"
	mkdir -p "$log"
	# Nothing that is installed here may start: the services run in their own namespaces.
	local policy=/usr/sbin/policy-rc.d made=
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod 755 "$policy"
		made=yes
	fi
	local apt=(apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -o Dpkg::Options::=--force-unsafe-io)
	timeout 300 "${apt[@]}" update >>"$log/apt.log" 2>&1 || true # what it lacks, the next line says
	timeout 1200 "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log/apt.log" 2>&1 9>&- || made+=failed
	case $made in yes*) rm -f "$policy" ;; esac
	case $made in *failed) give_up "Packages could not be installed." "$log/apt.log" ;; esac
	say "packages installed"
}
