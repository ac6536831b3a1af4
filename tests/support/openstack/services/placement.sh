# shellcheck shell=bash

placement_schema() { once placement-schema placement-manage --config-file "$etc/placement/placement.conf" db sync; }

start_placement() {
	OS_PLACEMENT_CONFIG_DIR=$etc/placement wsgi placement 8778 /usr/bin/placement-api 4
}
