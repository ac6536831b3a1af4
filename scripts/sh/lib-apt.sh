# shellcheck shell=bash
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
