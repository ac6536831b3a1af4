# shellcheck shell=bash
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
