# shellcheck shell=bash
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
