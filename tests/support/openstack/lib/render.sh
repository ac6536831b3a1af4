# Configuration files: the templates of etc/ with the settings filled in.
# shellcheck shell=bash

render_all() {
	export_settings
	local template
	mkdir -p "$etc/nova" "$etc/placement" "$var"/{mysql,rabbit,glance,cinder,nova/instances,neutron,lock}
	(
		umask 077
		for template in "$here"/etc/*; do
			# Only names in braces: what the services themselves replace has none.
			envsubst "$(grep -o '\${[A-Z_]*}' "$template" | sort -u | tr '\n' ' ')" <"$template" >"$etc/${template##*/}"
		done
		cat "$etc/common.conf" "$etc/placement.conf" >"$etc/placement/placement.conf"
	)
}
