# Heat's engine and its CloudFormation API start through shims: see shims/heat_repairs.py.
# shellcheck shell=bash

heat_schema() { once heat-schema heat-manage "${heat_config[@]}" db_sync; }

heat_config=(--config-file "$etc/common.conf" --config-file "$etc/heat.conf")

start_heat() {
	PYTHONPATH=$shims daemon heat-engine python3 "$shims/heat_engine.py" "${heat_config[@]}"
	daemon heat-api heat-api "${heat_config[@]}"
	wsgi heat-cfn 8000 "$shims/heat_cfn.py" 2 --pythonpath "$shims" \
		--pyargv "${heat_config[*]}"
}
