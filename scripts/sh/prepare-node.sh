# shellcheck shell=bash
set_name() {
  # Else cloud-init takes both back at the next boot.
  if [[ -d /etc/cloud/cloud.cfg.d ]]; then
    write_file /etc/cloud/cloud.cfg.d/99-windlass.cfg 0644 <<<$'preserve_hostname: true\nmanage_etc_hosts: false'
  fi
  write_file /etc/hostname 0644 <<<"$NODE_NAME"
  [[ $(hostname) == "$NODE_NAME" ]] || hostname "$NODE_NAME"
  write_hosts
}

# setting NAME VALUE: a kernel that already has it is left alone; it may be read-only. A name of an interface may have a
# dot, so a name with slashes stays as it is.
setting() {
  local file=/proc/sys/$1
  [[ $1 == */* ]] || file=/proc/sys/${1//.//}
  [[ -e $file ]] || return 0
  [[ $(<"$file") == "$2" ]] || sysctl -qw "$1=$2" || fail 1 "the kernel does not take $1=$2"
}

# A kernel that forwards IPv6 ignores router advertisements, from which an interface may have its default route, except
# where accept_ra is 2. Interfaces of pods are not devices; they must go on to ignore them.
advertised() {
  local device name file
  for device in /sys/class/net/*/device; do
    name=${device%/device} name=${name##*/}
    file=/proc/sys/net/ipv6/conf/$name/accept_ra
    [[ ! -e $file || $(<"$file") == 0 ]] || printf '%s ' "$name"
  done
}

forward_ipv6() {
  local name
  for name in $(advertised); do
    echo "net/ipv6/conf/$name/accept_ra = 2" >>"$SCRATCH/sysctl"
    setting "net/ipv6/conf/$name/accept_ra" 2
  done
  cat >>"$SCRATCH/sysctl" <<'SYSCTL'
net.ipv6.conf.all.forwarding = 1
net.ipv6.conf.default.forwarding = 1
SYSCTL
  setting net.ipv6.conf.all.forwarding 1
  setting net.ipv6.conf.default.forwarding 1
}

set_kernel() {
  write_file /etc/modules-load.d/windlass.conf 0644 <<<$'overlay\nbr_netfilter'
  in_container || modprobe -a overlay br_netfilter 2>/dev/null || note "modprobe: the kernel may have these built in"
  cat >"$SCRATCH/sysctl" <<'SYSCTL'
net.ipv4.ip_forward = 1
net.bridge.bridge-nf-call-iptables = 1
net.bridge.bridge-nf-call-ip6tables = 1
SYSCTL
  setting net.ipv4.ip_forward 1
  setting net.bridge.bridge-nf-call-iptables 1
  setting net.bridge.bridge-nf-call-ip6tables 1
  [[ $IPV6 != yes ]] || forward_ipv6
  write_file /etc/sysctl.d/90-windlass.conf 0644 <"$SCRATCH/sysctl"
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

# as_shipped FILE PACKAGE: the file is as the Debian package brings it; nobody has changed it.
as_shipped() {
  local sum
  sum=$(dpkg-query -W -f '${Conffiles}\n' "$2" 2>/dev/null | awk -v file="$1" '$1 == file { print $2 }')
  [[ -n $sum && $sum == "$(md5sum <"$1" | cut -d ' ' -f 1)" ]]
}

# Pod networks put their programs into /opt/cni/bin, and containerd 1 looks in one directory only. Not links: containers of
# pod networks, which see this directory only, cannot write over them.
copy_programs() {
  local program
  for program in /usr/lib/cni/*; do
    [[ -x $program && ! -e /opt/cni/bin/${program##*/} ]] || continue
    mkdir -p /opt/cni/bin
    cp -p --remove-destination "$program" /opt/cni/bin/
  done
}

# sandbox_image: what this kubeadm takes for the image of a pod's sandbox, if no configuration names another repository.
# containerd's own default is another version.
sandbox_image() {
  kubeadm config images list --kubernetes-version "$(kubeadm version -o short)" 2>/dev/null | grep -m 1 /pause: || true
}

# kubelet and kubeadm take systemd's cgroups for granted. containerd's own default, Docker's package of it and Debian's
# do not have them, and Debian's looks for the programs of CNI where no pod network puts them.
set_containerd() {
  local file=/etc/containerd/config.toml image
  copy_programs
  if [[ ! -s $file ]] || grep -q '^disabled_plugins.*"cri"' "$file" || as_shipped "$file" containerd; then
    image=$(sandbox_image)
    containerd config default | sed -E -e 's/SystemdCgroup = false/SystemdCgroup = true/' \
      -e "${image:+s#^( *sandbox(_image)? = ).*#\\1\"$image\"#}" >"$SCRATCH/containerd"
    need_restart
    write_file "$file" 0644 <"$SCRATCH/containerd"
  elif ! grep -q 'SystemdCgroup = true' "$file"; then
    echo "The image's own $file does not set SystemdCgroup = true, and kubelet uses systemd's cgroups."
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
