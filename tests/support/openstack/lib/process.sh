# Daemons: one file with process id and start time each, so that no other process is taken for it.
# shellcheck shell=bash

start_time() { # PID: what tells it from a later process with the same id
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	stat=${stat##*) } # the name before it may have blanks
	cut -d' ' -f20 <<<"$stat"
}

record() { echo "$2 $(start_time "$2")" >"$run/$1.pid"; }

runs() { # NAME
	local pid start
	read -r pid start 2>/dev/null <"$run/$1.pid" || return 1
	[ "$(start_time "$pid")" = "$start" ]
}

# daemon NAME COMMAND...: starts it unless it runs.
daemon() {
	local name=$1
	shift
	runs "$name" && return
	setsid nice -n 5 "$@" >>"$log/$name.log" 2>&1 </dev/null 9>&- &
	record "$name" $!
}

# halt NAME: ends a daemon with all that it started.
halt() {
	local pid end=$((SECONDS + 15))
	runs "$1" || return 0
	read -r pid _ <"$run/$1.pid"
	kill -TERM -- "-$pid"
	while runs "$1"; do
		[ $SECONDS -lt $end ] || kill -KILL -- "-$pid"
		sleep 0.1
	done
}

# await SECONDS NAME WHAT COMMAND...: until the command succeeds; a daemon that ends meanwhile is not
# waited for.
await() {
	local seconds=$1 name=$2 what=$3 end
	shift 3
	end=$((SECONDS + seconds))
	until "$@" >/dev/null 2>&1; do
		runs "$name" || give_up "$name ended before $what." "$log/$name.log"
		[ $SECONDS -lt $end ] || give_up "$name: no $what after $seconds s." "$log/$name.log"
		sleep 0.2
	done
}

opens() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; } # ADDRESS PORT

await_port() { await 120 "$1" "listener on port $2" opens "$api_address" "$2"; } # NAME PORT

# once TAG COMMAND...: what must have succeeded once, e.g. the making of a schema.
once() {
	local tag=$1
	shift
	[ ! -e "$run/done.$tag" ] || return 0
	# A subshell, so that a function may be run; it ends at its first error although this is a condition.
	if timed "$tag" "$@" >>"$log/$tag.log" 2>&1; then
		: >"$run/done.$tag"
	else
		give_up "$tag: $* failed or took more than 5 minutes." "$log/$tag.log"
	fi
}

timed() {
	shift
	if [ "$(type -t "$1")" = function ]; then "$@"; else timeout 300 "$@"; fi
}
