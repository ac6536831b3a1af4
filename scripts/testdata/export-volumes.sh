#!/bin/bash
# windlass: export-volumes
NODE_NAME='storage-7c8d9e0f'
EXPORTS='/volume/nfs/pv1=10.0.0.0/24,10.1.0.5'
MOUNTS='/volume'
NO_PROXY_LIST='localhost'
LOCK_FOR='600'
TIMEOUT='60'

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

# What scripts that install packages share: $LOCK_FOR bounds the waiting for others, $NO_PROXY_LIST is asked without a proxy.
wait_for_cloud_init() {
  command -v cloud-init >/dev/null || return 0
  note "waiting for cloud-init"
  timeout "$LOCK_FOR" cloud-init status --wait >/dev/null 2>&1 || {
    (($? != 124)) || fail 1 "cloud-init has not ended within $LOCK_FOR s; see /var/log/cloud-init-output.log"
    note "cloud-init ended with an error; see /var/log/cloud-init-output.log"
  }
}

# set_apt_proxy lets apt go through the proxy of the inputs http_proxy and https_proxy; false when there is none.
set_apt_proxy() {
  local name apt=''
  for name in http https; do
    [[ -s $SCRATCH/in.${name}_proxy ]] || continue
    apt+="Acquire::$name::Proxy \"$(<"$SCRATCH/in.${name}_proxy")\";"$'\n'
  done
  [[ -n $apt ]] || return 1
  # Only root may read it: a proxy's URL can hold a password.
  write_file /etc/apt/apt.conf.d/95windlass-proxy 0600 <<<"$apt"
}

# no_proxy: a repository on the inside is asked without the proxy.
apt_get() {
  no_proxy=$NO_PROXY_LIST apt-get -q -y -o DPkg::Lock::Timeout="$LOCK_FOR" -o Acquire::Retries=3 \
    -o Dpkg::Options::=--force-confold -o APT::Install-Recommends=false "$@"
}

LOCKED='[Cc]ould not get lock|lock was locked by another process|[Uu]nable to (acquire|lock)'

# show passes lines on as they come, but that a lock is held only once.
show() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ $LOCKED ]]; then
      [[ ! -e $SCRATCH/locked ]] || continue
      : >"$SCRATCH/locked"
      line="waiting for another installation of packages: $line"
    fi
    note "$line"
  done
}

# patiently SENTENCE COMMAND...: is attempt for apt and dpkg. A fresh VM updates itself, and apt waits for only
# one of the locks that this takes, dpkg for none.
patiently() {
  local sentence=$1 deadline=$((SECONDS + LOCK_FOR)) rc
  shift
  while true; do
    rc=0
    "$@" </dev/null 2>&1 | tee "$SCRATCH/attempt" | show || rc=$?
    ((rc != 0)) || return 0
    grep -E '^(E|dpkg: error): ' "$SCRATCH/attempt" | grep -qE "$LOCKED" || explain_apt "$sentence" "$rc"
    ((SECONDS < deadline)) || fail 1 "$sentence: another installation of packages has not ended within $LOCK_FOR s"
    sleep 1
  done
}

# explain_apt SENTENCE CODE: as explain, for what apt says of repositories and proxies.
explain_apt() {
  local reason
  sed -i '/^Waiting for cache lock/d' "$SCRATCH/attempt"
  if grep -qE '(^| )407 +Proxy Auth' "$SCRATCH/attempt"; then
    fail 65 "$1: the proxy refuses its user name or password; correct the proxy's URL"
  fi
  reason=$(grep -oE '(NO_PUBKEY|BADSIG|EXPKEYSIG|REVKEYSIG) [0-9A-F]+' "$SCRATCH/attempt" | head -n 1 || true)
  if [[ -n $reason ]]; then
    fail 65 "$1: it is not signed by the key that is given for it ($reason); give the repository's own key"
  fi
  reason=$(sed -nE 's/^E: Failed to fetch //p' "$SCRATCH/attempt" | head -n 1)
  if [[ -z $reason ]] && grep -qE 'does not have a Release file|is no longer signed|is not signed' "$SCRATCH/attempt"; then
    reason=$(sed -nE 's/^ +([45][0-9][0-9]) +([^[]*[^[ ]).*/\1 \2/p' "$SCRATCH/attempt" | tail -n 1)
    reason="there is no signed repository at this URL and suite${reason:+ ($reason)}"
  fi
  [[ -n $reason ]] || explain "$1" "$2"
  if grep -qE 'Could not connect|Unable to connect|Connection (refused|timed out|failed|reset)|Temporary failure|50[0234] ' <<<"$reason"; then
    fail 75 "$1: $reason"
  fi
  fail 1 "$1: $reason"
}

# complete_installation ends what a killed installation has begun: its commands may be there already.
complete_installation() {
  [[ -n $(dpkg --audit 2>/dev/null) || -n $(ls /var/lib/dpkg/updates 2>/dev/null) ]] || return 0
  note "completing an interrupted installation of packages"
  patiently "dpkg cannot complete an interrupted installation" dpkg --configure -a
}

# ensure_command COMMAND PACKAGE installs a package of the image's repositories unless its command is there.
ensure_command() {
  complete_installation
  command -v "$1" >/dev/null && return
  note "installing $2"
  patiently "the package lists of the image's repositories cannot be read" apt_get -o APT::Update::Error-Mode=any update
  patiently "the package $2 cannot be installed" apt_get install "$2"
  command -v "$1" >/dev/null || fail 1 "the package $2 is installed but its command $1 is missing"
}

# nfs_kind says which NFS server this machine can run: the kernel's where the kernel has one, else Ganesha where the image
# has it. A container has its host's kernel, whose NFS server is not its own.
nfs_kind() {
  if ! in_container && { grep -qsw nfsd /proc/filesystems || modprobe -qn nfsd 2>/dev/null; }; then
    echo kernel
  elif command -v ganesha.nfsd >/dev/null; then
    echo ganesha
  else
    echo none
  fi
}

NO_NFS_SERVER="it cannot be an NFS server: its kernel has none (nfsd) and the image has no NFS-Ganesha; take an image with one of them"

# As Tacker's driver has it: whoever writes is nobody, from any port.
OPTIONS=rw,sync,no_subtree_check,insecure,all_squash

# find_mount DIRECTORY leaves the mount point of its volume in $MOUNT. It prints nothing of it: a sentence of fail would be lost in $(...).
find_mount() {
  for MOUNT in $MOUNTS; do
    [[ $1 != "$MOUNT" && $1 != "$MOUNT"/* ]] || return 0
  done
  fail 65 "$1 is on none of the volumes, which are mounted to ${MOUNTS// /, }"
}

make_directories() {
  local entry dir real
  for entry in $EXPORTS; do
    dir=${entry%%=*}
    find_mount "$dir"
    mountpoint -q "$MOUNT" || fail 1 "the volume of $MOUNT is not mounted; see that it is attached"
    mkdir -p "$dir" || fail 73 "$dir cannot be made"
    # What is on a volume that was kept is not ours.
    real=$(realpath "$dir")/
    [[ $real == "$(realpath "$MOUNT")"/* ]] || fail 65 "$dir is a symbolic link out of its volume"
    chown nobody:nogroup "$dir"
  done
}

serve_by_kernel() {
  local entry dir network
  ensure_command exportfs nfs-kernel-server
  : >"$SCRATCH/exports"
  for entry in $EXPORTS; do
    dir=${entry%%=*}
    find_mount "$dir"
    {
      printf '%s' "$dir"
      # mountpoint: a volume that is not there must not be taken for an empty one.
      for network in $(tr ',' ' ' <<<"${entry#*=}"); do printf ' %s(%s,mountpoint=%s)' "$network" "$OPTIONS" "$MOUNT"; done
      printf '\n'
    } >>"$SCRATCH/exports"
  done
  write_file /etc/exports.d/windlass.exports 0644 <"$SCRATCH/exports"
  systemctl enable -q nfs-server || fail 1 "the image has no nfs-server service"
  service start nfs-server
  attempt "the exports cannot be made known" exportfs -ra
  exportfs -s >"$SCRATCH/known"
  for entry in $EXPORTS; do
    dir=${entry%%=*}
    for network in $(tr ',' ' ' <<<"${entry#*=}"); do
      awk -v dir="$dir" -v network="$network(" '$1 == dir && index($2, network) == 1 { found = 1 } END { exit !found }' "$SCRATCH/known" ||
        fail 1 "the NFS server does not export $dir to $network; its exports are: $(awk '{ print $1 }' "$SCRATCH/known" | paste -sd ' ')"
    done
  done
}

# The numbers of exports are part of what clients remember of files, so they follow the order of the request.
ganesha_conf() {
  local entry dir networks id=0
  printf '# Written by Windlass.\n'
  # Else nobody could write for the first 90 seconds.
  printf 'NFSv4 {\n  Graceless = true;\n}\n'
  for entry in $EXPORTS; do
    dir=${entry%%=*} networks=${entry#*=} id=$((id + 1))
    printf '\nEXPORT {\n  Export_Id = %s;\n  Path = %s;\n  Pseudo = %s;\n  Access_Type = None;\n  Squash = All_Squash;\n' "$id" "$dir" "$dir"
    printf '  Anonymous_Uid = %s;\n  Anonymous_Gid = %s;\n  SecType = sys;\n  PrivilegedPort = false;\n' "$(id -u nobody)" "$(getent group nogroup | cut -d : -f 3)"
    printf '  CLIENT {\n    Clients = %s;\n    Access_Type = RW;\n  }\n  FSAL {\n    Name = VFS;\n  }\n}\n' "${networks//,/, }"
  done
}

listens() { [[ -n $(ss -Hltn 'sport = :2049' 2>/dev/null) ]]; }

serve_by_ganesha() {
  ganesha_conf >"$SCRATCH/ganesha"
  write_file /etc/ganesha/ganesha.conf 0644 <"$SCRATCH/ganesha"
  write_file /etc/systemd/system/nfs-ganesha.service.d/windlass.conf 0644 <<<$'[Unit]\nRequiresMountsFor='"$MOUNTS"
  [[ $CHANGED == no ]] || systemctl daemon-reload
  systemctl enable -q nfs-ganesha || fail 1 "the image has no nfs-ganesha service"
  # Also when nothing of it has changed: it holds on to what was in the place of a volume before that was mounted.
  service restart nfs-ganesha
  wait_until "$TIMEOUT" listens || fail 1 "Ganesha does not listen on port 2049 after $TIMEOUT s; look at /var/log/ganesha/ganesha.log"
}

read_inputs
wait_for_cloud_init
set_apt_proxy || true
make_directories
kind=$(nfs_kind)
case $kind in
kernel) serve_by_kernel ;;
ganesha) serve_by_ganesha ;;
*) fail 1 "$NO_NFS_SERVER" ;;
esac
note "exported by ${kind/kernel/the kernel}: ${EXPORTS//=/ to }"
result server "$kind"
