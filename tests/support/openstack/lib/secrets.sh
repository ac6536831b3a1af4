# Passwords, made at the first start; and a private certificate authority for the public endpoints.
# shellcheck shell=bash

accounts=(admin demo keystone heat heat_domain_admin glance placement neutron nova cinder
	database rabbit metadata encryption)

make_directories() {
	install -d -m 755 "$state" "$run" "$log" "$var" "$shims" "$images"
	install -d -m 700 "$secrets" "$etc"
	cp "$here"/shims/*.py "$shims/"
}

make_secrets() {
	local name
	for name in "${accounts[@]}"; do
		[ -s "$secrets/$name" ] || (umask 077 && openssl rand -hex 16 >"$secrets/$name")
	done
	[ -s "$secrets/id_guest" ] || ssh-keygen -q -t ed25519 -N '' -C windlass-openstack -f "$secrets/id_guest"
	[ -s "$secrets/server.pem" ] || make_certificates
}

make_certificates() (
	umask 077
	cd "$secrets" || exit
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
		-subj "/CN=Windlass test CA" -keyout ca.key -out ca.crt \
		-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$api_address" \
		-keyout server.key -out server.csr
	openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -out server.crt \
		-extfile <(echo "subjectAltName=IP:$api_address,DNS:localhost")
	cat server.crt server.key >server.pem
	chmod 644 ca.crt
) 2>>"$log/certificates.log" # openssl draws its progress there

# export_settings: everything that the templates of etc/ mention.
export_settings() {
	local name
	for name in "${accounts[@]}"; do
		export "PASSWORD_${name^^}=$(cat "$secrets/$name")"
	done
	export STATE=$state ADDRESS=$api_address REGION=$region COMPUTE_HOST=$compute_host VIRT=$virt
	export CPU_MODE=none
	[ "$virt" = qemu ] || CPU_MODE=host-model
}
