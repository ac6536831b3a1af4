#!/bin/bash
# openstack.sh up|down|status|openrc|restart|exec: a real OpenStack on this machine, for the contract tests of the
# connector for OpenStack. See README.md.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in settings report process packages secrets namespace images client fits; do
	# shellcheck source=/dev/null
	source "$here/lib/$part.sh"
done

usage() {
	cat <<-EOF
		openstack.sh up            install what is missing, build guest images, start everything; run again, it
		                           starts only what does not run
		openstack.sh fits          whether it can run here with a cluster in it, or why not
		openstack.sh status        what runs, and its memory
		openstack.sh openrc        the file to source, the file for tests, and how to log in to a guest
		openstack.sh restart NAME  end a service of "status" and start it with its configuration of now
		openstack.sh exec COMMAND  run a command where the services run, e.g. virsh list
		openstack.sh down [--all]  end everything and remove it; --all: the guest images too

		State is in $state (set WINDLASS_OPENSTACK_DIR for another place).
	EOF
}

up() {
	local_lock
	install_packages
	make_directories
	make_secrets
	build_images & # while services start; they need the images only at the very end
	local images=$!
	start_namespace
	in_namespace bash "$here/inside.sh" up || { kill "$images" 2>/dev/null || true; exit 1; }
	wait "$images" || give_up "The guest images could not be built." "$log/images.log"
	in_namespace bash "$here/inside.sh" seed
	write_client_files
	say "ready: $(memory_in_use) MiB in use by services and guests"
	show_client_files
}

down() {
	[ -d "$state" ] || { echo "There is nothing in $state."; return; }
	local_lock
	stop_namespace
	detach_volumes
	if [ "${1:-}" = --all ]; then
		rm -rf "$state"
	else
		find "$state" -mindepth 1 -maxdepth 1 ! -name images ! -name lock -exec rm -rf {} +
	fi
	say "down; Debian's packages stay installed$([ -e "$images" ] && echo ", guest images are kept in $images")"
}

status() {
	namespace_runs || { echo "It does not run."; return 1; }
	in_namespace bash "$here/inside.sh" status
}

# Two at once would start everything twice. The lock is not inherited by what is started.
local_lock() {
	[ "$(id -u)" = 0 ] || { echo "It needs root: namespaces, bridges, loop devices." >&2; exit 1; }
	mkdir -p "$state"
	exec 9>"$state/lock"
	flock --timeout 900 9 || { echo "Another openstack.sh works in $state for 15 minutes already." >&2; exit 1; }
}

case ${1:-} in
up | status | fits) "$1" ;;
down) down "${2:-}" ;;
openrc) namespace_runs || { echo "It does not run: openstack.sh up" >&2; exit 1; }; show_client_files ;;
restart) shift; local_lock; in_namespace bash "$here/inside.sh" restart "$@" ;;
exec) shift; in_namespace "$@" ;;
*) usage; exit 2 ;;
esac
