#!/bin/bash
# windlass: connect-registries
SERVERS='192.168.0.10:5000 registry.example.com'
GONE='old.example.com'
DOCKER_GONE='old.example.com'
REGISTRY_HOSTS='192.168.0.20 registry.example.com'
WITH_CREDENTIALS='yes'

set -euo pipefail
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# What is secret lives here, in memory, for as long as the script; a killed one is swept up by the next.
find /run -maxdepth 1 -name 'windlass-scratch.*' -mmin +240 -exec rm -rf {} + 2>/dev/null || true
SCRATCH=$(mktemp -d /run/windlass-scratch.XXXXXX)
trap 'rm -rf "$SCRATCH"' EXIT
export TMPDIR=$SCRATCH # older shells keep here-documents in files
trap 'exit 143' HUP INT TERM

# fail CODE SENTENCE: 75 try again, 65 or 78 bad input, 73 disk full, 1 a person must look.
fail() {
  local code=$1
  shift
  printf 'windlass: %s\n' "$*"
  exit "$code"
}

note() { printf '%s\n' "$*"; }
result() { printf 'windlass-result: %s=%s\n' "$1" "$2"; }
result_text() { result "$1" "$(printf '%s' "$2" | base64 -w0)"; }

# read_inputs takes "name=base64" lines from stdin into files $SCRATCH/in.<name>.
read_inputs() {
  local line
  while IFS= read -r line; do
    base64 -d <<<"${line#*=}" >"$SCRATCH/in.${line%%=*}" || fail 65 "the input ${line%%=*} is not base64"
  done
}

# need_input NAME...: a retry after the worker lost its secrets must not run half blind.
need_input() {
  local name
  for name in "$@"; do
    [[ -s $SCRATCH/in.$name ]] || fail 65 "the input $name is missing"
  done
}

# attempt SENTENCE COMMAND...: runs it with its output shown; a failure ends the script with the sentence and
# the reason, and with the exit code that fits the reason.
attempt() {
  local sentence=$1 rc=0
  shift
  "$@" </dev/null 2>&1 | tee "$SCRATCH/attempt" || rc=$?
  ((rc == 0)) && return
  explain "$sentence" "$rc"
}

# explain SENTENCE CODE: reads the reason in $SCRATCH/attempt.
explain() {
  local reason
  if grep -q 'No space left on device' "$SCRATCH/attempt"; then
    fail 73 "$1: no space left on device"
  fi
  if (($2 == 124)); then
    fail 1 "$1: it did not end in time; its last line was: $(tail -n 1 "$SCRATCH/attempt")"
  fi
  if (($2 > 128)); then
    fail 75 "$1: it was killed by signal $(($2 - 128)); did the node run out of memory?"
  fi
  # kubeadm lists its preflight errors in brackets; elsewhere the last line says why.
  reason=$(grep -o '\[ERROR [^]]*\].*' "$SCRATCH/attempt" | paste -sd ';' || true)
  if [[ -n $reason ]]; then
    fail 1 "$1: ${reason//;/; }"
  fi
  reason=$(grep -E '^(E:|error|Error|\[ALERT\]|failed|Err:)' "$SCRATCH/attempt" | tail -n 1 || true)
  [[ -n $reason ]] || reason=$(grep -v '^To see the stack trace' "$SCRATCH/attempt" | grep . | tail -n 1 || true)
  # A control plane or kubelet that does not start is no matter of time, though what kubeadm says looks so.
  if grep -qE 'phase (wait-control-plane|kubelet-start|kubelet-wait-bootstrap)' "$SCRATCH/attempt"; then
    fail 1 "$1: $reason; look at 'journalctl -u kubelet' and the logs in /var/log/pods"
  fi
  if grep -qE 'connection refused|connection reset|no route to host|i/o timeout|TLS handshake timeout|Temporary failure|Could not get lock|could not get lock|Could not connect|Connection timed out|Client.Timeout|context deadline exceeded|etcdserver: |in sync with leader|unexpected EOF|the server is currently unable' "$SCRATCH/attempt"; then
    fail 75 "$1: $reason"
  fi
  fail 1 "$1: ${reason:-exit status $2}"
}

# service VERB NAME: systemctl, with the reason from the journal when it fails.
service() {
  local reason
  systemctl "$1" "$2" && return
  journalctl -u "$2" -n 30 -o cat --no-pager >"$SCRATCH/journal" 2>/dev/null || true
  reason=$(grep -iE 'alert|error|fatal|cannot|invalid' "$SCRATCH/journal" | tail -n 1 || true)
  fail 1 "$2 does not $1: ${reason:-look at the journal of $2}"
}

# wait_until SECONDS COMMAND...: looks four times a second.
wait_until() {
  local deadline=$((SECONDS + $1)) began
  shift
  while :; do
    began=$(now_us)
    if "$@"; then return; fi
    ((SECONDS < deadline)) || return 1
    rest_from "$began" 250000
  done
}

now_us() { printf '%s' "${EPOCHREALTIME/[.,]/}"; } # the separator is the locale's

# rest_from BEGAN LEAST: sleeps LEAST microseconds, or as long as what began then took, five seconds at most: who looks all
# the time at a machine that answers late makes it answer later.
rest_from() {
  local took=$(($(now_us) - $1))
  ((took > $2)) || took=$2
  ((took < 5000000)) || took=5000000
  sleep "$((took / 1000000)).$(printf %06d $((took % 1000000)))"
}

# write_file PATH MODE: content from stdin; CHANGED says whether it was another one before. Nobody ever sees
# half of the file. Not for the end of a pipe: a failure would end the pipe's own shell only.
write_file() {
  local new
  CHANGED=no
  mkdir -p "$(dirname "$1")"
  new=$(mktemp "$1.windlass.XXXXXX") || fail 73 "$1 cannot be written"
  cat >"$new" || { rm -f "$new"; fail 73 "$1 cannot be written"; }
  chmod "$2" "$new"
  if cmp -s "$new" "$1" && [[ $(stat -c %a "$1") == "$(stat -c %a "$new")" ]]; then
    rm -f "$new"
    return
  fi
  mv -f "$new" "$1"
  # shellcheck disable=SC2034 # for the caller
  CHANGED=yes
}

in_container() { systemd-detect-virt --quiet --container 2>/dev/null; }

# write_block BEGIN ENTRIES: the entries ("address name,...") stand in /etc/hosts in a block that begins so: no other line is
# touched, and each line of the block is exactly one entry. Without entries there is no block.
write_block() {
  local file=/etc/hosts end='# windlass: end'
  {
    awk -v begin="$1" -v end="$end" '$0 == begin { skip = 1 } !skip { print } $0 == end { skip = 0 }' "$file"
    if [[ -n $2 ]]; then
      printf '%s\n' "$1"
      tr ',' '\n' <<<"$2"
      printf '%s\n' "$end"
    fi
  } >"$SCRATCH/hosts"
  # /etc/hosts may be a mount of its own, so it is written in place.
  cmp -s "$SCRATCH/hosts" "$file" || cat "$SCRATCH/hosts" >"$file"
}

# write_hosts: the names of the nodes ($HOSTS).
write_hosts() { write_block '# windlass: nodes of the cluster' "$HOSTS"; }

# each_registry COMMAND: with SERVER, its number I, its root URL and its MANIFEST set.
each_registry() {
  local urls manifests
  read -ra urls <<<"${URLS:-}"
  read -ra manifests <<<"${MANIFESTS:-}"
  I=0
  for SERVER in $SERVERS; do
    URL=${urls[I]:-}
    MANIFEST=${manifests[I]:--}
    "$@"
    I=$((I + 1))
  done
}

STATE=/var/lib/windlass/registries.json
CREDENTIALS=/etc/windlass/registry-credentials.json
KUBELET_CREDENTIALS=/var/lib/kubelet/config.json
KUBELET_DROP_IN=/etc/systemd/system/kubelet.service.d/20-windlass-registries.conf
# What has to follow a change outlives this run: one that is interrupted in between leaves it to the next.
RESTART_CONTAINERD=/var/lib/windlass/restart-containerd
RESTART_KUBELET=/var/lib/windlass/restart-kubelet
RELOAD_DOCKER=/var/lib/windlass/reload-docker

# put PATH MODE MARK: as write_file; a change leaves MARK.
put() {
  cat >"$SCRATCH/put"
  cmp -s "$SCRATCH/put" "$1" || : >"$3"
  write_file "$1" "$2" <"$SCRATCH/put"
}

# TABLE is the head of the table of registries, as the versions of containerd's configuration name it.
TABLE=$'^[ \t]*[[]plugins[.](cri|["\']io[.]containerd[.](grpc[.]v1[.]cri|cri[.]v1[.]images)["\'])[.]registry[]]'

# config_path FILE: where it tells containerd to look for hosts.toml files, if it does.
config_path() {
  TABLE=$TABLE awk '
    /^[ \t]*[[]/ { inside = $0 ~ ENVIRON["TABLE"] }
    inside && /^[ \t]*config_path[ \t]*=/ {
      sub(/^[^=]*=[ \t]*/, ""); sub(/[ \t]*(#.*)?$/, ""); gsub(/["\047]/, "")
      print; exit
    }' "$1"
}

# with_config_path FILE: the file with $CERTS as config_path, and nothing else changed.
with_config_path() {
  local version head
  version=$(awk -F = '/^[ \t]*[[]/ { exit } /^[ \t]*version[ \t]*=/ { print $2 + 0; exit }' "$1")
  case ${version:-1} in
  1) head='[plugins.cri.registry]' ;;
  2) head='[plugins."io.containerd.grpc.v1.cri".registry]' ;;
  *) head="[plugins.'io.containerd.cri.v1.images'.registry]" ;;
  esac
  TABLE=$TABLE HEAD=$head CERTS=$CERTS awk '
    /^[ \t]*[[]/ { inside = $0 ~ ENVIRON["TABLE"]; first = inside }
    inside && /^[ \t]*config_path[ \t]*=/ { next }
    { print }
    first { printf "  config_path = \"%s\"\n", ENVIRON["CERTS"]; first = 0; found = 1 }
    END { if (!found) printf "\n%s\n  config_path = \"%s\"\n", ENVIRON["HEAD"], ENVIRON["CERTS"] }' "$1"
}

# point_containerd: an image's own directory is taken as it is; CERTS is where hosts.toml files go.
point_containerd() {
  local file=/etc/containerd/config.toml have=''
  CERTS=/etc/containerd/certs.d
  [[ ! -s $file ]] || have=$(config_path "$file")
  if [[ -n $have ]]; then
    CERTS=${have%%:*}
  elif [[ -n $SERVERS ]]; then
    [[ -s $file ]] || fail 1 "there is no $file; containerd cannot be told of registries"
    # containerd does not start with both.
    if grep -qE '^[[:space:]]*\[plugins\..*\.registry\.(mirrors|configs)\.' "$file"; then
      fail 1 "the image's $file has registry mirrors or configs of its own, beside which containerd takes no hosts.toml files; take them out of the image, and name such registries in the request"
    fi
    with_config_path "$file" >"$SCRATCH/containerd"
    : >"$RESTART_CONTAINERD"
    write_file "$file" 0644 <"$SCRATCH/containerd"
    note "containerd looks for registries in $CERTS"
  fi
  [[ -e $RESTART_CONTAINERD ]] || return 0
  service restart containerd
  rm -f "$RESTART_CONTAINERD"
}

forget_registries() {
  local server
  for server in $GONE; do
    note "forgetting $server"
    rm -rf "${CERTS:?}/$server"
  done
}

set_registry() {
  local dir=$CERTS/$SERVER
  if [[ -s $SCRATCH/in.ca.$I ]]; then
    write_file "$dir/ca.crt" 0644 <"$SCRATCH/in.ca.$I"
  fi
  write_file "$dir/hosts.toml" 0644 <"$SCRATCH/in.hosts.$I"
  [[ $CHANGED == no ]] || note "$SERVER is known to containerd"
  [[ -s $SCRATCH/in.ca.$I ]] || rm -f "$dir/ca.crt"
}

# has_docker: one that does not run now may be started by its socket, or later.
has_docker() { command -v dockerd >/dev/null || [[ -e /etc/docker/daemon.json ]]; }

# remember WHEN: what is, before or after, Windlass's own on this node. Without Docker nothing of its files is.
remember() {
  local state=$SCRATCH/in.$1
  has_docker || state=$SCRATCH/in.$1.bare
  write_file "$STATE" 0644 <"$state"
}

set_docker_certificate() {
  [[ ! -s $SCRATCH/in.ca.$I ]] || write_file "/etc/docker/certs.d/$SERVER/ca.crt" 0644 <"$SCRATCH/in.ca.$I"
}

set_docker() {
  local server
  for server in $DOCKER_GONE; do # an image's own certificates stay
    rm -f "/etc/docker/certs.d/$server/ca.crt"
    rmdir "/etc/docker/certs.d/$server" 2>/dev/null || true
  done
  has_docker || return 0
  each_registry set_docker_certificate
  if [[ -s $SCRATCH/in.docker ]]; then
    put /etc/docker/daemon.json 0644 "$RELOAD_DOCKER" <"$SCRATCH/in.docker"
  fi
  [[ -e $RELOAD_DOCKER ]] || return 0
  # One that does not run reads its files when it starts.
  if systemctl is-active --quiet docker; then service reload docker; fi
  rm -f "$RELOAD_DOCKER"
}

# kubelet hands the credentials of its file to containerd or Docker with every pull. `kubeadm reset` deletes the file with
# all else below /var/lib/kubelet, so kubelet gets it back when it starts without one; what others have put there since stays.
set_credentials() {
  if [[ $WITH_CREDENTIALS == yes ]]; then
    put "$CREDENTIALS" 0600 "$RESTART_KUBELET" <"$SCRATCH/in.credentials"
    put "$KUBELET_CREDENTIALS" 0600 "$RESTART_KUBELET" <"$SCRATCH/in.credentials"
    put "$KUBELET_DROP_IN" 0644 "$RESTART_KUBELET" <<<$'[Service]\n'"ExecStartPre=-/bin/sh -c 'test -s $KUBELET_CREDENTIALS || install -D -m 0600 $CREDENTIALS $KUBELET_CREDENTIALS'"
  elif [[ -e $CREDENTIALS ]]; then
    : >"$RESTART_KUBELET"
    rm -f "$KUBELET_DROP_IN"
    # What others have put there stays.
    if [[ -s $SCRATCH/in.credentials ]]; then
      write_file "$KUBELET_CREDENTIALS" 0600 <"$SCRATCH/in.credentials"
    else
      rm -f "$KUBELET_CREDENTIALS"
    fi
    rm -f "$CREDENTIALS" # the last: it tells that there is something to remove
  fi
  [[ -e $RESTART_KUBELET ]] || return 0
  systemctl daemon-reload
  # kubelet reads its file every few minutes only.
  if systemctl is-active --quiet kubelet; then service restart kubelet; fi
  rm -f "$RESTART_KUBELET"
}

read_inputs
need_input before after before.bare after.bare
mkdir -p "${STATE%/*}"
remember before
point_containerd
forget_registries
each_registry set_registry
write_block '# windlass: registries' "$REGISTRY_HOSTS"
set_docker
set_credentials
remember after
