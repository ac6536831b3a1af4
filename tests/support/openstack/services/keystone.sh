# shellcheck shell=bash

start_keystone() {
	once keystone-schema keystone_schema
	OS_KEYSTONE_CONFIG_FILES=$etc/keystone.conf wsgi keystone 5000 /usr/bin/keystone-wsgi-public 8
}

keystone_schema() {
	local manage=(timeout 300 keystone-manage --config-file "$etc/keystone.conf")
	"${manage[@]}" db_sync &&
		"${manage[@]}" fernet_setup --keystone-user root --keystone-group root &&
		"${manage[@]}" credential_setup --keystone-user root --keystone-group root &&
		OS_BOOTSTRAP_PASSWORD=$PASSWORD_ADMIN "${manage[@]}" bootstrap --bootstrap-region-id "$region" \
			--bootstrap-public-url "https://$api_address:15000/v3" \
			--bootstrap-internal-url "http://$api_address:5000/v3" \
			--bootstrap-admin-url "http://$api_address:5000/v3"
}

await_keystone() {
	await_port keystone 5000
	once catalog timeout 120 python3 "$here/cloud.py" catalog "$state"
}
