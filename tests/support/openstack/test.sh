#!/bin/bash
# test.sh [--if-time] [arguments of go test]: the tests that want a real OpenStack. It is brought up for them if it does
# not run, and then taken down again.
#
# --if-time is for a run of all tests that must end by WINDLASS_TEST_UNTIL (seconds since 1970): the tests run without
# their day 2 if the time suffices, and are left out, with the reason in .build/openstack-tests, if not.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/lib/settings.sh"
cd "$here/../../.."

# What all of it takes on two cores when nothing is there yet: docs/openstack.md has the parts.
needed_minutes=50
verdict=.build/openstack-tests
mkdir -p .build

leave_out() {
	echo "not run: a real OpenStack: $*" >"$verdict"
	echo "== a real OpenStack is left out: $*"
	exit 0
}

short=()
if [ "${1:-}" = --if-time ]; then
	shift
	short=(-short)
	until=${WINDLASS_TEST_UNTIL:-}
	[ -n "$until" ] || leave_out "it takes most of an hour, and WINDLASS_TEST_UNTIL does not say that there is time; go tool task test:openstack runs it"
	left=$(((until - $(date +%s)) / 60))
	((left >= needed_minutes)) || leave_out "it takes up to $needed_minutes minutes, and $left are left; go tool task test:openstack runs it"
	reason=$("$here/openstack.sh" fits) || leave_out "$reason"
elif ! reason=$("$here/openstack.sh" fits); then
	echo "A real OpenStack cannot run here: $reason." >&2
	exit 1
fi

echo "failed:  a real OpenStack" >"$verdict"
if ! "$here/openstack.sh" status >/dev/null; then
	trap '"$here/openstack.sh" down' EXIT
	"$here/openstack.sh" up
fi
export WINDLASS_TEST_OPENSTACK=$state/cloud.json
echo "== contract of the connector"
go test -C tests -count=1 -timeout 40m -run 'TestContract_realOpenStack' "${short[@]}" "$@" ./suites/contract/openstack
echo "== a cluster of virtual machines"
go test -C tests -count=1 -timeout 80m -run 'TestOnRealOpenStack' "${short[@]}" "$@" ./suites/e2e
echo "ran:     a real OpenStack: the connector's contract, the main job$([ ${#short[@]} = 0 ] && echo ", day 2")" >"$verdict"
