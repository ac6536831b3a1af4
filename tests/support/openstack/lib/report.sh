# Progress, and what to say when it does not go on.
# shellcheck shell=bash

began=${WINDLASS_OPENSTACK_BEGAN:-$(date +%s%N)}
export WINDLASS_OPENSTACK_BEGAN=$began

# say LINE: with the seconds since the beginning, also across the scripts that are called.
say() {
	local ms=$((($(date +%s%N) - began) / 1000000))
	printf '%4d.%d s  %s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$*"
}

# give_up SENTENCE [LOG]: ends the script; shows the last lines of the log.
give_up() {
	say "FAILED: $1" >&2
	if [ -n "${2:-}" ]; then
		echo "        The end of $2:" >&2
		tail -n 15 "$2" 2>/dev/null | sed 's/^/        | /' >&2
	fi
	exit 1
}
