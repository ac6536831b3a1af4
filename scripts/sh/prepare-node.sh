# shellcheck shell=bash
wait_for_cloud_init() {
  command -v cloud-init >/dev/null || return 0
  note "waiting for cloud-init"
  timeout "$LOCK_FOR" cloud-init status --wait >/dev/null 2>&1 || {
    (($? != 124)) || fail 75 "cloud-init has not ended within $LOCK_FOR s; see /var/log/cloud-init-output.log"
    note "cloud-init ended with an error; see /var/log/cloud-init-output.log"
  }
}

set_name() {
  local file=/etc/hosts begin='# windlass: nodes of the cluster' end='# windlass: end'
  # Else cloud-init takes both back at the next boot.
  if [[ -d /etc/cloud/cloud.cfg.d ]]; then
    write_file /etc/cloud/cloud.cfg.d/99-windlass.cfg 0644 <<<$'preserve_hostname: true\nmanage_etc_hosts: false'
  fi
  write_file /etc/hostname 0644 <<<"$NODE_NAME"
  [[ $(hostname) == "$NODE_NAME" ]] || hostname "$NODE_NAME"
  {
    awk -v begin="$begin" -v end="$end" '$0 == begin { skip = 1 } !skip { print } $0 == end { skip = 0 }' "$file"
    printf '%s\n' "$begin"
    tr ',' '\n' <<<"$HOSTS"
    printf '%s\n' "$end"
  } >"$SCRATCH/hosts"
  # /etc/hosts may be a mount of its own, so it is written in place.
  cmp -s "$SCRATCH/hosts" "$file" || cat "$SCRATCH/hosts" >"$file"
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

set_proxy() {
  local name env='' apt=''
  for name in http https; do
    [[ -s $SCRATCH/in.${name}_proxy ]] || continue
    env+="${name^^}_PROXY=$(<"$SCRATCH/in.${name}_proxy")"$'\n'
    apt+="Acquire::$name::Proxy \"$(<"$SCRATCH/in.${name}_proxy")\";"$'\n'
  done
  [[ -n $env ]] || return 0
  env+="NO_PROXY=$NO_PROXY_LIST"$'\n'
  # Only root may read them: a proxy's URL can hold a password. `systemctl show` prints the file's name only.
  write_file /etc/apt/apt.conf.d/95windlass-proxy 0600 <<<"$apt"
  write_file /etc/windlass/proxy.env 0600 <<<"$env"
  RESTART_CONTAINERD=$CHANGED
  write_file /etc/systemd/system/containerd.service.d/windlass-proxy.conf 0644 <<<$'[Service]\nEnvironmentFile=/etc/windlass/proxy.env'
}

missing_packages() {
  local name
  for name in $PACKAGES; do
    command -v "$name" >/dev/null || printf '%s ' "$name"
  done
}

apt_get() { apt-get -q -y -o DPkg::Lock::Timeout="$LOCK_FOR" -o Dpkg::Options::=--force-confold -o APT::Install-Recommends=false "$@"; }

add_repository() {
  local options=''
  [[ -n $SOURCE ]] || return 0
  [[ $TRUSTED == yes ]] && options=' [trusted=yes]'
  if [[ -s $SCRATCH/in.apt_key ]]; then
    write_file /etc/apt/keyrings/windlass.asc 0644 <"$SCRATCH/in.apt_key"
    options=' [signed-by=/etc/apt/keyrings/windlass.asc]'
  fi
  write_file /etc/apt/sources.list.d/windlass.list 0644 <<<"deb$options $SOURCE"
}

install_packages() {
  local missing name wanted=()
  missing=$(missing_packages)
  [[ -n $missing ]] || { note "every package is on the image"; return 0; }
  note "installing $missing"
  add_repository
  attempt "dpkg cannot complete an interrupted installation" dpkg --configure -a
  attempt "the package lists cannot be read" apt_get -o Acquire::Retries=3 -o APT::Update::Error-Mode=any update
  for name in $missing; do
    if [[ -n $VERSION && " $HOLD " == *" $name "* ]]; then name+=$(printf '=%s' "$VERSION"); fi
    wanted+=("$name")
  done
  attempt "the packages cannot be installed" apt_get install "${wanted[@]}"
  for name in $HOLD; do
    [[ " $missing " != *" $name "* ]] || apt-mark -q hold "$name" >/dev/null
  done
  missing=$(missing_packages)
  [[ -z $missing ]] || fail 1 "the packages are installed but $missing is still missing"
}

# kubelet and kubeadm take systemd's cgroups for granted; containerd's own default, and Docker's package of it,
# do not have them.
set_containerd() {
  local file=/etc/containerd/config.toml
  if [[ ! -s $file ]] || grep -q '^disabled_plugins.*"cri"' "$file"; then
    containerd config default | sed 's/SystemdCgroup = false/SystemdCgroup = true/' >"$SCRATCH/containerd"
    write_file "$file" 0644 <"$SCRATCH/containerd"
    RESTART_CONTAINERD=yes
  fi
  systemctl daemon-reload
  if [[ $RESTART_CONTAINERD == yes ]]; then
    service restart containerd
  fi
  systemctl enable -q containerd
  service start containerd
  systemctl enable -q kubelet || fail 1 "the image has no kubelet service"
}

RESTART_CONTAINERD=no
read_inputs
wait_for_cloud_init
set_name
set_kernel
set_proxy
install_packages
set_containerd
result kubeadm "$(kubeadm version -o short)"
