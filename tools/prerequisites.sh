#!/bin/bash
# Installs what is missing on this machine, and does nothing, in no time, when nothing is:
#
#	tools/prerequisites.sh test             all that lint and tests call
#	tools/prerequisites.sh lint             what lint calls
#	tools/prerequisites.sh browser          the browser that the web page is tested in
#	tools/prerequisites.sh demo [ARGS...]   what the demo needs with these arguments: PostgreSQL, and what the lab's real
#	                                        machines are made with, unless its machines only act. A real OpenStack
#	                                        installs its own.
#
# It needs root, or sudo without a password; else it prints the one command to run, and fails. Tasks call it first.
# tests/suites/prerequisites holds the list against what tasks and tests call.
set -euo pipefail
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin # where Debian has programs of root, whoever looks

# Packages of Debian, the programs and files that each is looked for by, and who needs it: lint, tests, the database, or the
# lab's real machines. A question mark: where it cannot be had, its test is left out and says so.
list() {
	cat <<-'END'
		ca-certificates         /etc/ssl/certs/*                                                          test
		git                     git                                                                       lint
		shellcheck              shellcheck                                                                lint
		gcc                     gcc                                                                       test
		libc6-dev               /usr/include/stdio.h                                                      test
		haproxy                 haproxy                                                                   test
		curl                    curl                                                                      test
		openssl                 openssl                                                                   test
		gnupg                   gpg,gpgconf,gpg-agent                                                     test
		python3                 python3                                                                   test
		ansible-core            ansible-playbook                                                          test
		sshpass                 sshpass                                                                   test
		softhsm2                softhsm2-util,/usr/lib/softhsm/libsofthsm2.so                             test
		fdisk                   sfdisk                                                                    test
		openssh-server          sshd                                                                      test
		sudo                    sudo                                                                      test
		postgresql              /usr/lib/postgresql/*/bin/initdb,/usr/lib/postgresql/*/bin/postgres,psql,pg_dump database
		systemd-container       systemd-nspawn                                                            machines
		mmdebstrap              mmdebstrap                                                                machines
		debian-archive-keyring  /usr/share/keyrings/debian-archive-keyring.gpg                            machines
		nftables                nft                                                                       machines
		iproute2                ip                                                                        machines
		openssh-client          ssh                                                                       machines
		python3-openstackclient /usr/lib/python3/dist-packages/openstackclient                            test?
		python3-tackerclient    /usr/lib/python3/dist-packages/tackerclient                               test?
		chromium                chromium                                                                  browser
	END
}

main() {
	local what=${1:-}
	case $what in
	test) sets=(lint test database machines) ;;
	lint) sets=(lint) ;;
	browser) sets=(browser) ;;
	demo) sets_of_demo "${@:2}" ;;
	list) list && exit ;;
	*)
		echo "usage: tools/prerequisites.sh test | lint | browser | demo [ARGUMENTS OF THE DEMO]" >&2
		exit 64
		;;
	esac
	look
	[ ${#missing[@]} = 0 ] || provide "$@"
	[ ${#optional[@]} = 0 ] || try
	[ "$what" != test ] || warn_of_full_disk
}

# warn_of_full_disk: the machines of tests are in /var/tmp, and take the space that is free there for their own disks.
warn_of_full_disk() {
	local free
	free=$(df -Pk /var/tmp | awk 'NR == 2 { print int($4 / 1048576) }')
	[ "$free" -lt 12 ] || return 0
	echo "/var/tmp has $free GiB free. Tests with real machines need 12 and will fail. Make room there;" \
		"'go clean -cache' empties Go's build cache, if that is on the same disk." >&2
}

# sets_of_demo ARGS...: reads what matters here of the demo's arguments; the demo itself refuses wrong ones.
sets_of_demo() {
	local cloud=lab machines=nspawn
	while [ $# -gt 0 ]; do
		case ${1/#--/-} in
		-exit | -exit=true | -h | -help) exit 0 ;; # nothing is brought up
		-cloud=*) cloud=${1#*=} ;;
		-machines=*) machines=${1#*=} ;;
		-cloud) cloud=${2:-} ;;
		-machines) machines=${2:-} ;;
		esac
		shift
	done
	sets=(database)
	[ "$cloud-$machines" = lab-nspawn ] || return 0
	sets+=(machines)
	[ "$(id -u)" = 0 ] || stop "Real machines need root. Run the demo as root, or with machines that only act:" \
		"  go tool task demo -- --machines fake"
}

# look fills missing with the packages that are not here, and optional with those that can be done without.
look() {
	missing=() optional=()
	local package things set
	while read -r package things set; do
		case " ${sets[*]} " in *" ${set%\?} "*) ;; *) continue ;; esac
		here "$things" && continue
		if [ "$set" = "${set%\?}" ]; then missing+=("$package"); else optional+=("$package"); fi
	done < <(list)
}

# here THINGS: all of them are on this machine.
here() {
	local thing things
	IFS=, read -ra things <<<"$1"
	for thing in "${things[@]}"; do
		case $thing in
		/*) compgen -G "$thing" >/dev/null || return ;;
		*) command -v "$thing" >/dev/null || return ;;
		esac
	done
}

# provide ARGS...: installs what is missing, or says how to; ARGS are the script's own.
provide() {
	local wanted=("${missing[@]}" "${optional[@]}")
	command -v apt-get >/dev/null || stop "This machine lacks what these Debian packages have: ${missing[*]}." \
		"It has no apt-get; install them by hand. Only Debian 12 and Ubuntu are known here."
	can_install || stop "This machine lacks ${missing[*]}." "Run this once, as root:" "  $(by_sudo)$PWD/${0##*/} $*"
	echo "Installing what is missing for $1: ${wanted[*]}"
	if ! apt update || ! apt install "${missing[@]}"; then
		tail -n 15 "$log" >&2
		stop "${missing[*]} cannot be installed: see above."
	fi
	look
	[ ${#missing[@]} = 0 ] || stop "Still missing after their installation: ${missing[*]}."
}

# try installs what can be done without, from the lists of packages that are there.
try() {
	if can_install && command -v apt-get >/dev/null && apt install "${optional[@]}"; then
		echo "Installed ${optional[*]}"
		return
	fi
	echo "Not here: ${optional[*]}, a client that nobody here wrote. Its test is left out." >&2
}

can_install() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }

by_sudo() { ! command -v sudo >/dev/null || printf 'sudo '; }

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# apt update, or apt install PACKAGE...: what it prints is kept in $log, for the case that it fails.
apt() {
	local arguments=("$@")
	if [ "$1" = install ]; then
		hold_services
		arguments=(install -y --no-install-recommends "${@:2}")
	fi
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
		"${arguments[@]}" </dev/null >"$log" 2>&1
}

# Nothing that is installed here may start: the demo and tests bring up their own servers, and where services cannot start,
# as in a container, the installation would fail over it.
policy=/usr/sbin/policy-rc.d
hold_services() {
	if [ ! -e "$policy" ]; then
		held=yes
		printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
		as_root chmod 755 "$policy"
	fi
	# Debian would make a PostgreSQL cluster of its own and try to start it.
	local cluster=/etc/postgresql-common/createcluster.conf
	[ ! -e "$cluster" ] || return 0
	as_root mkdir -p "${cluster%/*}"
	echo 'create_main_cluster = false' | as_root tee "$cluster" >/dev/null
}

clean_up() {
	[ -z "${held:-}" ] || as_root rm -f "$policy"
	rm -f "$log"
}

stop() {
	printf '%s\n' "$@" >&2
	exit 1
}

cd "$(dirname "${BASH_SOURCE[0]}")"
log=$(mktemp)
trap clean_up EXIT
main "$@"
