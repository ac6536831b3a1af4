#!/bin/bash
# windlass: install-registry
PORT='5000'
HTTPS='yes'
IMAGE_FILE='/var/lib/windlass/registry-image.tar'
IMAGE='docker.io/library/registry:2'
VOLUME='/registry'
IMAGES='/registry/images'
CA_DIR='/registry/ca'
CA_NAME='11112222-3333-4444-8555-666677778888'
CERTIFICATE_NAMES='DNS:registry.example.com,IP:10.0.0.41,IP:fd00::41'
VALID_DAYS='3650'
NO_PROXY_LIST=''
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

# wait_for_cloud_init: until then it writes to files that others write to, too. $LOCK_FOR bounds it.
wait_for_cloud_init() {
  command -v cloud-init >/dev/null || return 0
  note "waiting for cloud-init"
  timeout "$LOCK_FOR" cloud-init status --wait >/dev/null 2>&1 || {
    (($? != 124)) || fail 1 "cloud-init has not ended within $LOCK_FOR s; see /var/log/cloud-init-output.log"
    note "cloud-init ended with an error; see /var/log/cloud-init-output.log"
  }
}

# A registry's certificate, and the CA that signs it. Both keys are made on the machine; that of the CA is in $CA_DIR, which may
# be on a volume, for clients trust the CA longer than a machine lives.

# How many days a CA is valid: longer than any certificate that it signs.
CA_DAYS=7300

# certified KEY CERTIFICATE: both can be read, and belong together.
certified() {
  [[ -s $1 && -s $2 ]] || return
  openssl pkey -in "$1" -pubout -out "$SCRATCH/public.key" 2>/dev/null || return
  openssl x509 -in "$2" -noout -pubkey >"$SCRATCH/public.crt" 2>/dev/null || return
  cmp -s "$SCRATCH/public.key" "$SCRATCH/public.crt"
}

# lasts CERTIFICATE DAYS
lasts() { openssl x509 -in "$1" -noout -checkend $(($2 * 86400)) >/dev/null 2>&1; }

# with_openssl SENTENCE ARGS...: what it prints is shown only when it fails.
with_openssl() {
  local sentence=$1
  shift
  openssl "$@" </dev/null >"$SCRATCH/attempt" 2>&1 || explain "$sentence" $?
}

# new_key FILE: on an elliptic curve that every client knows.
new_key() {
  (umask 077 && : >"$1")
  with_openssl "no key can be made" genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

# configure_openssl: nothing depends on the configuration of the image.
configure_openssl() {
  cat >"$SCRATCH/openssl.cnf" <<CONFIG
[ca]
default_ca = registry
[registry]
database = $SCRATCH/issued/index
serial = $SCRATCH/issued/serial
new_certs_dir = $SCRATCH/issued
default_md = sha256
policy = names
[names]
commonName = supplied
[req]
distinguished_name = nobody
[nobody]
[authority]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = $CERTIFICATE_NAMES
CONFIG
}

# sign NAME KEY EXTENSIONS DAYS CERTIFICATE ARGS...: valid since an hour ago, for clocks differ.
sign() {
  local name=$1 key=$2 extensions=$3 days=$4 certificate=$5
  shift 5
  rm -rf "$SCRATCH/issued"
  mkdir "$SCRATCH/issued"
  : >"$SCRATCH/issued/index"
  with_openssl "no serial number can be made" rand -hex -out "$SCRATCH/issued/serial" 16
  with_openssl "no request for a certificate can be made" req -new -config "$SCRATCH/openssl.cnf" -key "$key" -subj "/CN=$name" -out "$SCRATCH/request"
  with_openssl "the certificate cannot be signed" ca -batch -notext -config "$SCRATCH/openssl.cnf" -extensions "$extensions" -days "$days" \
    -startdate "$(date -u -d '1 hour ago' +%Y%m%d%H%M%SZ)" -in "$SCRATCH/request" -out "$certificate" "$@"
}

# make_ca: one that is there stays as long as it can, for clients trust it.
make_ca() {
  local why=''
  if [[ ! -e $CA_DIR/ca.crt ]]; then
    why='there is none yet'
  elif ! certified "$CA_DIR/ca.key" "$CA_DIR/ca.crt"; then
    why="the one in $CA_DIR is damaged"
  elif ! lasts "$CA_DIR/ca.crt" "$VALID_DAYS"; then
    why="the one in $CA_DIR ends too soon"
  fi
  if [[ -z $why ]]; then
    note "the CA of before signs the certificate"
    return
  fi
  note "a CA is made: $why"
  new_key "$SCRATCH/ca.key"
  sign "Windlass registry CA $CA_NAME" "$SCRATCH/ca.key" authority "$CA_DAYS" "$SCRATCH/ca.crt" -selfsign -keyfile "$SCRATCH/ca.key"
  mkdir -p "$CA_DIR"
  chmod 0700 "$CA_DIR"
  # The certificate is the last: a CA without one is made anew.
  rm -f "$CA_DIR/ca.crt"
  write_file "$CA_DIR/ca.key" 0600 <"$SCRATCH/ca.key"
  write_file "$CA_DIR/ca.crt" 0644 <"$SCRATCH/ca.crt"
  sync -f "$CA_DIR" 2>/dev/null || sync
}

# certificate_fits DIRECTORY: what is there has these names, is of this CA, and a third of its time is left.
certificate_fits() {
  [[ -s $1/registry.names && $(<"$1/registry.names") == "$CERTIFICATE_NAMES" ]] || return
  certified "$1/registry.key" "$1/registry.crt" || return
  openssl verify -no-CApath -CAfile "$CA_DIR/ca.crt" "$1/registry.crt" >/dev/null 2>&1 || return
  lasts "$1/registry.crt" $((VALID_DAYS / 3))
}

# make_certificate DIRECTORY: leaves the certificate and its key where those of a request would be.
make_certificate() {
  if ! command -v openssl >/dev/null; then
    attempt "the package lists of the image's repositories cannot be read" apt_get update
    attempt "openssl is missing and cannot be installed" apt_get install openssl
  fi
  configure_openssl
  make_ca
  if certificate_fits "$1"; then
    note "the certificate of before is kept"
    cp "$1/registry.crt" "$SCRATCH/in.registry.crt"
    cp "$1/registry.key" "$SCRATCH/in.registry.key"
  else
    note "a certificate is made for ${CERTIFICATE_NAMES//,/, }"
    new_key "$SCRATCH/in.registry.key"
    sign "Windlass registry $CA_NAME" "$SCRATCH/in.registry.key" server "$VALID_DAYS" "$SCRATCH/in.registry.crt" \
      -cert "$CA_DIR/ca.crt" -keyfile "$CA_DIR/ca.key"
  fi
  printf '%s\n' "$CERTIFICATE_NAMES" >"$SCRATCH/in.registry.names"
}

DIR=/etc/windlass/registry
UNIT=windlass-registry
UNIT_FILE=/etc/systemd/system/$UNIT.service
# A change that what runs does not have yet outlives this run.
RESTART=/var/lib/windlass/restart-registry
RESTART_ENGINES=/var/lib/windlass/restart-engines

# put MARK PATH MODE: as write_file; a change has it restarted for which MARK is.
put() {
  cat >"$SCRATCH/put"
  cmp -s "$SCRATCH/put" "$2" || : >"$1"
  write_file "$2" "$3" <"$SCRATCH/put"
}

# set_proxy: for apt and for the engines that pull. Only root may read it: a URL can hold a password.
set_proxy() {
  local name value env='' apt='' service
  for name in http https; do
    [[ -s $SCRATCH/in.${name}_proxy ]] || continue
    value=$(<"$SCRATCH/in.${name}_proxy")
    env+="${name^^}_PROXY=$value"$'\n'
    apt+="Acquire::$name::Proxy \"$value\";"$'\n'
    # podman and ctr pull without a daemon. The file below is systemd's: to a shell it would say other things.
    export "${name^^}_PROXY=$value"
  done
  [[ -n $env ]] || return 0
  export NO_PROXY=$NO_PROXY_LIST
  env+="NO_PROXY=$NO_PROXY_LIST"$'\n'
  write_file /etc/apt/apt.conf.d/95windlass-proxy 0600 <<<"$apt"
  put "$RESTART_ENGINES" /etc/windlass/proxy.env 0600 <<<"$env"
  for service in docker containerd; do
    put "$RESTART_ENGINES" "/etc/systemd/system/$service.service.d/windlass-proxy.conf" 0644 <<<$'[Service]\nEnvironmentFile=/etc/windlass/proxy.env'
  done
  [[ -e $RESTART_ENGINES ]] || return 0
  systemctl daemon-reload
  for service in docker containerd; do
    if systemctl is-active --quiet "$service"; then service restart "$service"; fi
  done
  rm -f "$RESTART_ENGINES"
}

apt_get() {
  apt-get -q -y -o DPkg::Lock::Timeout="$LOCK_FOR" -o Acquire::Retries=3 -o APT::Update::Error-Mode=any \
    -o Dpkg::Options::=--force-confold -o APT::Install-Recommends=false "$@"
}

# choose: what is on the image goes first. WAY is an engine, or "package" for Debian's own, which needs none; where an image is
# given, that image runs.
choose() {
  local engine
  WAY=''
  if [[ -z $IMAGE_FILE ]] && command -v docker-registry >/dev/null; then
    WAY=package
    return
  fi
  for engine in docker podman nerdctl ctr; do
    if command -v "$engine" >/dev/null; then
      WAY=$engine
      return
    fi
  done
}

install_way() {
  choose
  [[ -z $WAY ]] || return 0
  [[ -z $(dpkg --audit 2>/dev/null) ]] || attempt "dpkg cannot complete an interrupted installation" dpkg --configure -a
  attempt "the package lists of the image's repositories cannot be read" apt_get update
  # Not through a pipe to grep -q: who reads no further ends apt-cache, and with it the condition (pipefail).
  if [[ -z $IMAGE_FILE && $(apt-cache policy docker-registry 2>/dev/null) =~ 'Candidate: '[^\(] ]]; then
    attempt "docker-registry cannot be installed" apt_get install docker-registry
  else
    attempt "docker.io cannot be installed" apt_get install docker.io
  fi
  choose
  [[ -n $WAY ]] || fail 1 "the packages are installed, but neither docker-registry nor an engine for containers is there"
}

start_engine() {
  local name
  case $WAY in
  docker) name=docker ;;
  nerdctl | ctr) name=containerd ;;
  *) return 0 ;;
  esac
  systemctl enable -q "$name"
  service start "$name"
}

# get_image: IMAGE is the name of what is loaded, as the engine tells it.
get_image() {
  if [[ -n $IMAGE_FILE ]]; then
    load_image
  elif [[ $WAY == ctr ]]; then
    grep -qxF "$IMAGE" <<<"$(ctr images ls -q 2>/dev/null)" || attempt "the image $IMAGE cannot be pulled; bring it with the package (image_path)" pull_by_ctr
  else
    "$WAY" image inspect "$IMAGE" >/dev/null 2>&1 ||
      attempt "the image $IMAGE cannot be pulled; bring it with the package (image_path)" "$WAY" pull -q "$IMAGE"
  fi
}

# pull_by_ctr: without its progress, which would fill the output of the step; what goes wrong is on the other channel.
pull_by_ctr() { ctr images pull "$IMAGE" >/dev/null; }

load_image() {
  local loaded
  if [[ $WAY == ctr ]]; then
    # What it prints differs between containerd 1 and 2, and names are made complete; so the name is given.
    IMAGE=windlass.local/private_registry:package
    attempt "the image file of the package cannot be loaded" ctr images import --index-name "$IMAGE" "$IMAGE_FILE"
    return
  fi
  attempt "the image file of the package cannot be loaded" "$WAY" load -i "$IMAGE_FILE"
  loaded=$(sed -nE 's/^Loaded image( ID|\(s\))?: *//p; s/^unpacking ([^ ]+).*/\1/p' "$SCRATCH/attempt" | head -n 1 || true)
  IMAGE=${loaded%%,*}
  [[ -n $IMAGE ]] || fail 65 "the image file of the package holds no image, or one without a name"
}

# image_command prints, in JSON, what the image starts. Of containerd only a container knows that, which is made for it.
image_command() {
  local look=windlass-look
  if [[ $WAY != ctr ]]; then
    "$WAY" image inspect --format '{{json .Config.Entrypoint}} {{json .Config.Cmd}}' "$IMAGE"
    return
  fi
  ctr containers rm "$look" >/dev/null 2>&1 || true
  ctr snapshots rm "$look" >/dev/null 2>&1 || true
  ctr containers create "$IMAGE" "$look" >&2
  ctr containers info "$look" | sed -n '/"args": \[/,/^[[:space:]]*\]/p' | sed 's/"args": //'
  ctr containers rm "$look" >&2
}

# find_command: PROGRAM and ARGUMENTS are the image's own, with our configuration in the place of its own, or after all where it
# names none: an image may start with a script (the library's registry:2 and 3), with the program itself, whose command
# "serve" is an argument (the distribution project's), or with another's; and an argument for ctr takes the place of all of these.
# Words stay as JSON quotes them, which is how systemd does, but for % and $.
find_command() {
  local words
  image_command >"$SCRATCH/command" 2>"$SCRATCH/attempt" || explain "what the image starts cannot be found out" "$?"
  words=$(grep -oE '"([^"\\]|\\.)*"' "$SCRATCH/command" | sed -E 's/[%$]/&&/g; s#[^" =]*\.ya?ml\b#'"$DIR/config.yml#" || true)
  [[ -n $words ]] || fail 65 "the image names no command, so it is none of a registry"
  [[ $words == *"$DIR/config.yml"* ]] || words+=$'\n'"\"$DIR/config.yml\""
  PROGRAM=$(head -n 1 <<<"$words")
  ARGUMENTS=$(tail -n +2 <<<"$words" | paste -sd ' ')
}

# configure: container engines run it as root, Debian's package as its own user.
configure() {
  local owner=root mode=0600 name
  if [[ $WAY == package ]]; then
    owner=docker-registry mode=0640
  fi
  mkdir -p "$IMAGES"
  put "$RESTART" "$DIR/config.yml" 0644 <"$SCRATCH/in.config"
  for name in htpasswd registry.crt registry.key registry.names; do
    if [[ -s $SCRATCH/in.$name ]]; then put "$RESTART" "$DIR/$name" "$mode" <"$SCRATCH/in.$name"; else rm -f "$DIR/$name"; fi
  done
  if [[ $WAY == package ]]; then
    chgrp -R "$owner" "$DIR"
    chown -R "$owner:" "$IMAGES"
    chmod a+x "${IMAGES%/*}" # the directory is root's alone; what else is in it has modes of its own
    runuser -u "$owner" -- test -w "$IMAGES" || fail 1 "the registry's user $owner cannot write to $IMAGES; look at the modes of the directories above it"
    # It would hold the port; ours has its own configuration.
    systemctl disable -q --now docker-registry 2>/dev/null || true
  fi
}

# run_lines: how the unit runs it. Containers use the machine's network: nothing else is on it.
run_lines() {
  local engine
  engine=$(command -v "$WAY" || true)
  case $WAY in
  package)
    printf '%s\n' User=docker-registry "ExecStart=$(command -v docker-registry) serve $DIR/config.yml"
    # HTTPS's own port is for root, or for who has been allowed it.
    ((PORT >= 1024)) || echo AmbientCapabilities=CAP_NET_BIND_SERVICE
    ;;
  ctr)
    printf '%s\n' "ExecStartPre=-$engine task rm -f private_registry" "ExecStartPre=-$engine container rm private_registry" \
      "ExecStartPre=-$engine snapshots rm private_registry" \
      "ExecStart=$engine run --rm --net-host --mount type=bind,src=$DIR,dst=$DIR,options=rbind:ro --mount type=bind,src=$IMAGES,dst=$IMAGES,options=rbind:rw $IMAGE private_registry $PROGRAM $ARGUMENTS"
    ;;
  *)
    printf '%s\n' "ExecStartPre=-$engine rm -f private_registry" \
      "ExecStart=$engine run --rm --name private_registry --network host -v $DIR:$DIR:ro -v $IMAGES:$IMAGES --entrypoint $PROGRAM $IMAGE $ARGUMENTS" \
      "ExecStop=-$engine stop private_registry"
    ;;
  esac
}

# volume_lines, for the unit: the registry must not write beside its volume when that is lost.
volume_lines() {
  [[ -z $VOLUME ]] || printf '\nRequiresMountsFor=%s\nAssertPathIsMountPoint=%s' "$IMAGES" "$VOLUME"
}

start_registry() {
  put "$RESTART" "$UNIT_FILE" 0644 <<UNIT
[Unit]
Description=Registry of images (Windlass)
Wants=network-online.target
After=network-online.target docker.service containerd.service$(volume_lines)

[Service]
$(run_lines)
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
UNIT
  systemctl daemon-reload
  systemctl enable -q "$UNIT"
  if [[ -e $RESTART ]]; then
    service restart "$UNIT"
    rm -f "$RESTART"
  else
    service start "$UNIT"
  fi
}

# answers: also one that wants a user is there. Whether its certificate is trusted is the clients' matter.
answers() {
  local scheme=http
  [[ $HTTPS == no ]] || scheme=https
  case $(curl -q -sk -o /dev/null -w '%{http_code}' --noproxy '*' --max-time 5 "$scheme://127.0.0.1:$PORT/v2/" || true) in
  200 | 401) ;;
  *) return 1 ;;
  esac
}

await_registry() {
  local reason
  if ! command -v curl >/dev/null; then
    attempt "curl is missing and cannot be installed" apt_get install curl
  fi
  wait_until 60 answers && return
  journalctl -u "$UNIT" -n 40 -o cat --no-pager >"$SCRATCH/journal" 2>/dev/null || true
  reason=$(grep -iE 'fatal|panic|error|cannot|address already in use' "$SCRATCH/journal" | tail -n 1 || true)
  fail 1 "the registry does not answer on port $PORT: ${reason:-look at the journal of $UNIT}"
}

read_inputs
need_input config
mkdir -p "${RESTART%/*}"
[[ -z $VOLUME ]] || mountpoint -q "$VOLUME" || fail 1 "no volume is mounted to $VOLUME; see that it is attached, and look at 'findmnt $VOLUME'"
wait_for_cloud_init
set_proxy
install_way
note "the registry runs by $WAY"
start_engine
if [[ $WAY != package ]]; then
  get_image
  find_command
fi
[[ -z $CERTIFICATE_NAMES ]] || make_certificate "$DIR"
configure
start_registry
await_registry
result way "$WAY"
note "the registry answers on port $PORT"
