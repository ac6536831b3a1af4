#!/bin/bash
# windlass: prepare-node
NODE_NAME='cp-1a2b3c4d'
HOSTS='10.0.0.11 cp-1a2b3c4d,10.0.0.21 worker-5e6f7a8b'
NO_PROXY_LIST='localhost,10.0.0.0/24'
PACKAGES='containerd kubeadm kubelet kubectl'
HOLD='kubeadm kubelet kubectl'
VERSION='1.34.4-1.1'
SOURCE='https://packages.example.com/core:/stable:/v1.34/deb/ /'
TRUSTED='no'
LOCK_FOR='600'

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

set_name() {
  # Else cloud-init takes both back at the next boot.
  if [[ -d /etc/cloud/cloud.cfg.d ]]; then
    write_file /etc/cloud/cloud.cfg.d/99-windlass.cfg 0644 <<<$'preserve_hostname: true\nmanage_etc_hosts: false'
  fi
  write_file /etc/hostname 0644 <<<"$NODE_NAME"
  [[ $(hostname) == "$NODE_NAME" ]] || hostname "$NODE_NAME"
  write_hosts
}

# setting NAME VALUE: a kernel that already has it is left alone; it may be read-only.
setting() {
  local file=/proc/sys/${1//.//}
  [[ -e $file ]] || return 0
  [[ $(<"$file") == "$2" ]] || sysctl -qw "$1=$2" || fail 1 "the kernel does not take $1=$2"
}

set_kernel() {
  write_file /etc/modules-load.d/windlass.conf 0644 <<<$'overlay\nbr_netfilter'
  in_container || modprobe -a overlay br_netfilter 2>/dev/null || note "modprobe: the kernel may have these built in"
  write_file /etc/sysctl.d/90-windlass.conf 0644 <<'SYSCTL'
net.ipv4.ip_forward = 1
net.bridge.bridge-nf-call-iptables = 1
net.bridge.bridge-nf-call-ip6tables = 1
SYSCTL
  setting net.ipv4.ip_forward 1
  setting net.bridge.bridge-nf-call-iptables 1
  setting net.bridge.bridge-nf-call-ip6tables 1
  # In a container this would turn off the swap of the host.
  in_container && return
  if [[ -n $(swapon --noheadings --show 2>/dev/null) ]]; then
    note "turning swap off"
    swapoff -a
  fi
  sed -i -E 's/^([^#].*[[:space:]]swap[[:space:]].*)$/# windlass: \1/' /etc/fstab
}

# need_restart outlives this run: one that is interrupted before the restart leaves it to the next.
RESTART_CONTAINERD=/var/lib/windlass/restart-containerd
need_restart() {
  mkdir -p "${RESTART_CONTAINERD%/*}"
  : >"$RESTART_CONTAINERD"
}

set_proxy() {
  local name env=''
  set_apt_proxy || return 0
  for name in http https; do
    [[ ! -s $SCRATCH/in.${name}_proxy ]] || env+="${name^^}_PROXY=$(<"$SCRATCH/in.${name}_proxy")"$'\n'
  done
  env+="NO_PROXY=$NO_PROXY_LIST"$'\n'
  # Only root may read it, as apt's. `systemctl show` prints the file's name only.
  cmp -s - /etc/windlass/proxy.env <<<"$env" || need_restart
  write_file /etc/windlass/proxy.env 0600 <<<"$env"
  write_file /etc/systemd/system/containerd.service.d/windlass-proxy.conf 0644 <<<$'[Service]\nEnvironmentFile=/etc/windlass/proxy.env'
}

missing_packages() {
  local name
  for name in $PACKAGES; do
    command -v "$name" >/dev/null || printf '%s ' "$name"
  done
}

add_repository() {
  local options='' key=/etc/apt/keyrings/windlass
  [[ $TRUSTED == yes ]] && options=' [trusted=yes]'
  if [[ -s $SCRATCH/in.apt_key ]]; then
    # apt tells an armored key from a binary one by the name.
    if grep -qsa '^-----BEGIN PGP' "$SCRATCH/in.apt_key"; then key+=.asc; else key+=.gpg; fi
    write_file "$key" 0644 <"$SCRATCH/in.apt_key"
    options=" [signed-by=$key]"
  fi
  write_file /etc/apt/sources.list.d/windlass.list 0644 <<<"deb$options $SOURCE"
}

versions() { apt-cache "${OURS[@]}" madison "$1" | awk -F ' *[|] *' '{ print $2 }'; }

# pick NAME: prints NAME=VERSION of the newest one that fits.
pick() {
  local all version
  all=$(versions "$1")
  for version in $all; do
    # shellcheck disable=SC2053 # it may be a pattern
    [[ $version != ${VERSION:-*} ]] || { printf '%s=%s' "$1" "$version"; return; }
  done
  [[ -n $all ]] || fail 65 "the apt repository ${SOURCE%% *} has no package $1"
  fail 65 "the apt repository ${SOURCE%% *} has no $1 of version $VERSION; it has $(head -n 5 <<<"$all" | paste -sd ' ')"
}

install_packages() {
  local missing name picked wanted=()
  complete_installation
  missing=$(missing_packages)
  [[ -n $missing ]] || { note "every package is on the image"; return 0; }
  note "installing $missing"
  OURS=()
  if [[ -n $SOURCE ]]; then
    add_repository
    # By itself: the image's own repositories may be out of reach, and need not be in it.
    OURS=(-o Dir::Etc::sourcelist=/etc/apt/sources.list.d/windlass.list -o Dir::Etc::sourceparts=/dev/null -o APT::Get::List-Cleanup=false)
    patiently "the apt repository ${SOURCE%% *} cannot be read" apt_get "${OURS[@]}" -o APT::Update::Error-Mode=any update
  fi
  for name in $missing; do
    picked=$name
    if [[ -n $SOURCE && " $HOLD " == *" $name "* ]]; then
      picked=$(pick "$name") || { note "$picked"; exit 65; }
    fi
    wanted+=("$picked")
  done
  if [[ -z $SOURCE ]] || ! apt_get "${OURS[@]}" --simulate install "${wanted[@]}" >/dev/null 2>&1; then
    OURS=()
    patiently "the package lists of the image's repositories cannot be read" apt_get -o APT::Update::Error-Mode=any update
  fi
  patiently "the packages cannot be installed" apt_get "${OURS[@]}" install "${wanted[@]}"
  missing=$(missing_packages)
  [[ -z $missing ]] || fail 1 "the packages are installed but $missing is still missing"
}

# hold_packages keeps the node's own upgrades away from what belongs to the cluster.
hold_packages() {
  local name held
  held=" $(apt-mark showhold | paste -sd ' ') "
  for name in $HOLD; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed && $held != *" $name "* ]] || continue
    patiently "$name cannot be held at its version" apt-mark -q hold "$name"
  done
}

# kubelet and kubeadm take systemd's cgroups for granted; containerd's own default, and Docker's package of it,
# do not have them.
set_containerd() {
  local file=/etc/containerd/config.toml
  if [[ ! -s $file ]] || grep -q '^disabled_plugins.*"cri"' "$file"; then
    containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' >"$SCRATCH/containerd"
    need_restart
    write_file "$file" 0644 <"$SCRATCH/containerd"
  fi
  systemctl daemon-reload
  if [[ -e $RESTART_CONTAINERD ]]; then
    service restart containerd
    rm -f "$RESTART_CONTAINERD"
  fi
  systemctl enable -q containerd
  service start containerd
  systemctl enable -q kubelet || fail 1 "the image has no kubelet service"
}

read_inputs
wait_for_cloud_init
set_name
set_kernel
set_proxy
install_packages
hold_packages
set_containerd
result kubeadm "$(kubeadm version -o short)"
