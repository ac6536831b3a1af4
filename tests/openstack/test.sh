#!/bin/bash
# test.sh: the tests that want a real OpenStack. It is brought up for them if it does not run, and then taken down again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/lib/settings.sh"
cd "$here/../.."

if ! reason=$("$here/openstack.sh" fits); then
	echo "A real OpenStack cannot run here: $reason." >&2
	exit 1
fi
if ! "$here/openstack.sh" status >/dev/null; then
	trap '"$here/openstack.sh" down' EXIT
	"$here/openstack.sh" up
fi
export WINDLASS_TEST_OPENSTACK=$state/cloud.json
echo "== contract of the driver"
go test -count=1 -timeout 40m -run 'TestContract_realOpenStack' "$@" ./internal/vim/openstack/
echo "== a cluster of virtual machines"
go test -count=1 -timeout 80m -run 'TestOnRealOpenStack' "$@" ./tests/e2e/
