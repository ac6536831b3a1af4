# shellcheck shell=bash

glance_config=(--config-file "$etc/common.conf" --config-file "$etc/glance.conf")

glance_schema() { once glance-schema glance-manage "${glance_config[@]}" db_sync; }

start_glance() {
	mkdir -p "$var"/glance/{images,tasks,staging}
	daemon glance glance-api "${glance_config[@]}"
}
