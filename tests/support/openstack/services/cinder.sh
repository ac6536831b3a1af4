# Cinder on files: the driver is shims/loopfile.py.
# shellcheck shell=bash

cinder_config=(--config-file "$etc/common.conf" --config-file "$etc/cinder.conf")

cinder_schema() { once cinder-schema cinder-manage "${cinder_config[@]}" db sync; }

start_cinder() {
	daemon cinder-api cinder-api "${cinder_config[@]}"
	daemon cinder-scheduler cinder-scheduler "${cinder_config[@]}"
	PYTHONPATH=$shims daemon cinder-volume cinder-volume "${cinder_config[@]}"
}
