#!/bin/bash
# windlass-runner: runs a command so that it outlives the SSH connection that started it.
#
#   start ID TOKEN DEADLINE    stdin: tar of script, stdin, sums; starts it or finds it, then follows it
#   follow ID TOKEN OFFSET     goes on with the output of that start from this byte
#   kill ID TOKEN              stops the command with everything it started
#   ack ID TOKEN               the failure was delivered: the next start begins afresh
#   settle ID                  keeps how the command ended, and nothing of what it was and what it printed
#   forget ID                  removes what is kept about the command
#   check PATH                 mode and SHA-256 of a file
#   put STAGED PATH MODE SUM   moves an uploaded file (- = stdin) into place
#   get PATH MAX               at most MAX+1 bytes of a file
#
# stdout carries a marker line, then raw bytes. stderr carries lines "windlass-runner: WORD ...".
# A command lives in run/ID: lock (held by its supervisor for as long as it runs, so that neither a
# reused pid nor a reboot can be taken for a running command), script, out, stdout, pid, rc, why.
set -u
umask 077
base=$(cd "${0%/*}" && pwd) || exit 70
self=$base/${0##*/}
grace=5        # seconds between TERM and KILL
keep=1048576   # bytes of stdout that are handed back apart from the output

say() { printf 'windlass-runner: %s\n' "$*" >&2; }

fail() {
	local code=$1
	shift
	say "error $*"
	exit "$code"
}

use() {
	id=$1
	dir=$base/run/$id
}

start() {
	use "$1"
	local token=$2 deadline=$3
	new=$dir/new-$token
	trap 'rm -rf "$new"' EXIT
	# Unpacked before the lock is taken: a connection that hangs in the upload holds nobody up.
	mkdir -p "$new" || fail 73 "create $new"
	timeout 300 tar -x --no-same-owner -C "$new" -f - || fail 73 "unpack the command in $new"
	(cd "$new" && sha256sum --status -c sums) || fail 74 "the upload was cut short"
	open_lock
	while ! take_lock; do
		# Held without an attempt: another start is between taking the lock and starting.
		[ ! -s "$dir/attempt" ] || break
		sleep .02
	done
	if flock -n 9 && ! finished; then
		if [ -e "$dir/cancel-$token" ]; then
			say state cancelled
			return
		fi
		begin "$token" "$deadline" "$new"
	fi
	exec 9>&-
	follow "$id" "" 0
}

# open_lock opens the lock as fd 9; again when forget removed the directory between the two.
open_lock() {
	while :; do
		mkdir -p "$dir" || fail 73 "create $dir"
		exec 9>>"$dir/lock" || fail 73 "create $dir/lock"
		[ "$dir/lock" -ef "/proc/$$/fd/9" ] && return
	done
}

# take_lock waits only when the holder is a follower that reads the result and lets go at once.
take_lock() { flock -n 9 || { [ -s "$dir/rc" ] && flock -w 2 9; }; }

# finished: a success stays one; a failure counts until somebody has read it.
finished() {
	local rc
	[ -s "$dir/rc" ] || return 1
	read -r rc _ <"$dir/rc"
	[ "$rc" = 0 ] || [ ! -e "$dir/acked" ]
}

begin() {
	local token=$1 deadline=$2 new=$3
	sweep
	# An attempt without rc: the machine rebooted, or the supervisor was killed and its command lives on,
	# perhaps before its pid was written.
	[ ! -s "$dir/attempt" ] || [ -s "$dir/rc" ] || stop_all
	rm -f "$dir"/{attempt,rc,rc.new,why,acked,pid,out,stdout} "$dir"/cancel-*
	mv "$new"/* "$dir/" || fail 73 "write in $dir"
	# Of starts that were killed in the upload; a younger one may be another's on its way.
	find "$dir" -maxdepth 1 -name 'new-*' -mmin +60 -exec rm -rf {} +
	# Room for the exit code is taken now: a full disk must not turn a failure into "lost".
	printf '%-64s\n' ' ' >"$dir/rc.new" || fail 73 "write in $dir"
	: >"$dir/out" || fail 73 "write in $dir"
	: >"$dir/stdout" || fail 73 "write in $dir"
	printf '%s\n' "$token" >"$dir/attempt" || fail 73 "write in $dir"
	setsid bash "$self" supervise "$id" "$deadline" </dev/null >/dev/null 2>&1 &
}

# sweep drops what is older than a week, and successes that nobody has forgotten for an hour; a command that still
# writes keeps its directory young.
sweep() {
	local rc result
	while read -r rc; do
		read -r result _ <"$rc" && [ "$result" = 0 ] && [ "${rc%/rc}" != "$dir" ] && rm -rf "${rc%/rc}"
	done < <(find "$base/run" -mindepth 2 -maxdepth 2 -name rc -mmin +60 2>/dev/null)
	find "$base/run" -mindepth 1 -maxdepth 1 ! -path "$dir" -mtime +7 -exec rm -rf {} + 2>/dev/null
	find "$base" -maxdepth 1 -name 'upload-*' -mtime +1 -delete 2>/dev/null
}

# supervise inherits the locked fd 9 and gives it to nobody: its end is the end of the command.
supervise() {
	use "$1"
	local deadline=$2 rc why='' watchdog=''
	trap '' HUP
	cd / || exit 70
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
	exec 8<"$dir/stdin"
	rm -f "$dir/stdin" "$dir/sums"
	# After a full disk tee gives up; cat then drains the pipe, so that the script does not die of SIGPIPE.
	exec 7> >(exec 8<&- 9>&-; tee -a "$dir/stdout" >>"$dir/out"; exec cat >/dev/null)
	local copier=$!
	WINDLASS_RUN=$id setsid bash "$dir/script" <&8 >&7 2>>"$dir/out" 7>&- 8<&- 9>&- &
	local pid=$!
	exec 7>&- 8<&-
	printf '%s %s\n' "$pid" "$(start_time "$pid")" >"$dir/pid"
	if [ "$deadline" != 0 ]; then
		watch "$deadline" 9>&- &
		watchdog=$!
	fi
	wait "$pid"
	rc=$?
	drain "$copier"
	outlive "$rc"
	if [ -s "$dir/why" ]; then
		[ -z "$watchdog" ] || grep -q killed "$dir/why" || wait "$watchdog"
		why=$(<"$dir/why")
	fi
	[ -z "$watchdog" ] || kill "$watchdog" 2>/dev/null
	printf '%s %s' "$rc" "$why" 1<>"$dir/rc.new"
	mv "$dir/rc.new" "$dir/rc"
}

watch() {
	local nap
	trap 'kill "$nap"; exit' TERM
	sleep "$1" &
	nap=$!
	wait "$nap"
	trap '' TERM
	echo deadline >"$dir/why"
	stop_all
}

# drain waits for the last bytes, but not for a daemon that keeps the script's stdout open.
drain() {
	local nap
	for nap in .01 .01 .01 .02 .05 .1 .2 .2 .2 .2; do
		kill -0 "$1" 2>/dev/null || return
		sleep "$nap"
	done
}

# outlive waits when somebody else has killed the script. When the machine shuts down, this supervisor dies a moment
# after the script: without rc the command is lost, and starts again, as after any other reboot.
outlive() {
	case $1 in
	137 | 143) [ -s "$dir/why" ] || sleep 2 9>&- ;;
	esac
}

start_time() {
	local stat
	read -r stat 2>/dev/null <"/proc/$1/stat" || return
	stat=${stat##*) }
	# Field 22 of proc(5) is the twentieth after the name.
	# shellcheck disable=SC2086
	set -- $stat
	echo "${20}"
}

# members lists the processes of the command: its session, and by an environment variable those that
# left the session. Most are in both lists.
members() {
	local pid='' began='' line leader=''
	[ ! -s "$dir/pid" ] || read -r pid began <"$dir/pid"
	[ -z "$pid" ] || leader=$(start_time "$pid")
	# The number now belongs to somebody else, so our session is gone.
	[ -z "$leader" ] || [ "$leader" = "$began" ] || pid=''
	for line in /proc/[0-9]*/stat; do
		read -r line 2>/dev/null <"$line" || continue
		# shellcheck disable=SC2086
		set -- ${line%% *} ${line##*) }
		[ "$2" = Z ] || [ -z "$pid" ] || [ "$5" != "$pid" ] || echo "$1"
	done
	grep -slzxF -- "WINDLASS_RUN=$id" /proc/[0-9]*/environ | cut -d / -f 3
}

stop_all() {
	local end=$((SECONDS + grace)) signal=TERM left
	while left=$(members | sort -u) && [ -n "$left" ]; do
		[ "$SECONDS" -lt "$end" ] || signal=KILL
		[ "$SECONDS" -lt $((end + grace)) ] || return 1
		# shellcheck disable=SC2086
		kill -"$signal" $left 2>/dev/null
		# Once: a second TERM would interrupt a script that tidies up.
		[ "$signal" != TERM ] || signal=0
		sleep .05
	done
}

# follow prints what the command prints, until the lock is free; then the result.
follow() {
	use "$1"
	local token=$2 offset=$3 attempt='' naps nap beat=$SECONDS
	exec 3<"$dir/out" 9<"$dir/lock" || {
		say state lost
		return
	}
	read -r attempt <"$dir/attempt"
	if [ -n "$token" ] && [ "$token" != "$attempt" ]; then
		say state lost
		return
	fi
	say "attempt $attempt"
	echo windlass-begin
	tail -c "+$((offset + 1))" <&3
	naps=(.02 .05 .1 .2 .3 .5 1)
	nap=0
	until flock -s -w "${naps[nap]}" 9; do
		cat <&3 || exit
		nap=$((nap < ${#naps[@]} - 1 ? nap + 1 : nap))
		# Written so that a follower whose connection is gone finds out and ends.
		[ "$SECONDS" -lt $((beat + 5)) ] || { beat=$SECONDS && say beat || exit; }
	done
	flock -u 9
	exec 9<&-
	cat <&3
	result "$attempt"
}

result() {
	local attempt=$1 rc why
	# Another attempt began since: its rc does not belong to what was printed here.
	if [ ! -s "$dir/rc" ] || [ "$attempt" != "$(cat "$dir/attempt" 2>/dev/null)" ]; then
		say state lost
		return
	fi
	read -r rc why <"$dir/rc"
	if [ "$(stat -c %s "$dir/out")" != "$(stat -c %s "$dir/stdout")" ]; then
		say "stdout $(tail -c "$keep" "$dir/stdout" | base64 -w 0)"
	fi
	say "rc $rc ${why:-ended}"
}

# kill_run leaves a mark first, for a start with this token that is still on its way.
kill_run() {
	use "$1"
	mkdir -p "$dir" && : >"$dir/cancel-$2"
	exec 9>>"$dir/lock" || fail 73 "create $dir/lock"
	local end=$((SECONDS + 3 * grace))
	until flock -n 9; do
		[ "$SECONDS" -lt "$end" ] || fail 75 "the command does not end"
		if [ -s "$dir/pid" ]; then
			[ -s "$dir/why" ] || echo killed >"$dir/why"
			stop_all
		fi
		flock -w .1 9 && break
	done
	# The lock is free but the command may live on: its supervisor was killed, and no rc is there.
	[ ! -s "$dir/attempt" ] || [ -s "$dir/rc" ] || stop_all
	: >"$dir/acked"
	say state killed
}

settle() {
	use "$1"
	[ -d "$dir" ] || return 0
	open_lock
	flock -w 2 9 || fail 75 "the command still runs"
	rm -f "$dir/script"
	: >"$dir/out" || fail 73 "write in $dir"
	: >"$dir/stdout" || fail 73 "write in $dir"
}

forget() {
	use "$1"
	[ -d "$dir" ] || return 0
	open_lock
	flock -w 2 9 || fail 75 "the command still runs"
	rm -rf "$dir"
}

check() {
	local sum mode
	[ -e "$1" ] || {
		say state absent
		return
	}
	mode=$(stat -L -c %a "$1") || fail 66 "read $1"
	sum=$(sha256sum <"$1") || fail 66 "read $1"
	say "file $mode ${sum%% *}"
}

put() {
	local staged=$1 path=$2 mode=$3 sum=$4 got
	(umask 022 && mkdir -p "$(dirname "$path")") || fail 73 "create the directory of $path"
	tmp=$(mktemp "$path.XXXXXX") || fail 73 "write $path"
	trap 'rm -f "$tmp"' EXIT
	[ "$staged" != - ] || staged=/dev/stdin
	cat "$staged" >"$tmp" || fail 73 "write $path"
	got=$(sha256sum <"$tmp")
	[ "${got%% *}" = "$sum" ] || fail 74 "the upload was cut short"
	chmod "$mode" "$tmp" || fail 73 "write $path"
	mv -fT "$tmp" "$path" || fail 73 "write $path"
	case $staged in */upload-*) rm -f "$staged" ;; esac
}

get() {
	[ -e "$1" ] || {
		say state absent
		return
	}
	echo windlass-begin
	head -c "$(($2 + 1))" "$1" || fail 66 "read $1"
}

case $1 in
start | follow | supervise | settle | forget | check | put | get) "$@" ;;
kill) kill_run "$2" "$3" ;;
ack) use "$2" && if [ "$(cat "$dir/attempt" 2>/dev/null)" = "$3" ]; then : >"$dir/acked"; fi ;;
*) fail 64 "unknown verb $1" ;;
esac
