# shellcheck shell=bash
problem() {
  note "problem: $*"
  result_text problem "$*"
}
# shortage is a problem that more room on the node mends.
shortage() {
  note "problem: $*"
  result_text shortage "$*"
}
ignored() { [[ ",$IGNORE," == *",$1,"* ]]; }
member() { [[ -s /etc/kubernetes/kubelet.conf ]]; }

check_system() {
  local ID='' ID_LIKE='' PRETTY_NAME='an unknown system'
  # shellcheck disable=SC1091
  [[ -r /etc/os-release ]] && . /etc/os-release
  case " $ID $ID_LIKE " in
  *\ debian\ * | *\ ubuntu\ *) ;;
  *) problem "the image is $PRETTY_NAME; Windlass prepares Debian and Ubuntu" ;;
  esac
  note "$PRETTY_NAME, kernel $(uname -r)"
  [[ -d /run/systemd/system ]] || problem "systemd does not run; kubelet needs it"
  getent ahosts localhost >/dev/null || problem "localhost does not resolve; mend /etc/hosts in the image"
  if [[ $(hostname) == "$NODE_NAME" ]]; then
    getent ahosts "$NODE_NAME" >/dev/null || problem "the node's own name does not resolve; mend /etc/nsswitch.conf in the image"
  fi
  if [[ -z $(ip -o addr show to "$ADDRESS" 2>/dev/null) ]]; then
    problem "no interface has the address $ADDRESS; the image must configure the port that nic_cp_name names"
  fi
}

check_size() {
  local cpus memory disk
  cpus=$(nproc)
  memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
  ignored NumCPU || ((cpus >= MIN_CPUS)) || problem "it has $cpus CPU and needs $MIN_CPUS; take a larger flavour"
  ignored Mem || ((memory >= MIN_MEMORY_MIB)) || problem "it has $memory MiB of memory and needs $MIN_MEMORY_MIB; take a larger flavour"
  member && return
  disk=$(df -Pm /var/lib | awk 'NR == 2 { print $4 }')
  ((disk >= MIN_DISK_MIB)) || shortage "the disk is nearly full: /var/lib has $disk MiB free and needs $MIN_DISK_MIB; free space or take a larger disk"
}

# Windlass compares the clocks: it knows how long it took to get here and back.
tell_clock() { result clock "$(date +%s)"; }

# The members' own processes hold these ports on a node that is a member, or half one.
check_ports() {
  local port owner
  for port in $PORTS; do
    owner=$(ss -Hltnp "sport = :$port" 2>/dev/null | grep -o 'users:((.*' | cut -d '"' -f 2 | head -n 1 || true)
    case $owner in
    '' | kubelet | kube-* | etcd | haproxy) ;;
    *) problem "port $port is in use by $owner; the image must leave it free" ;;
    esac
  done
}

check_software() {
  local name version
  for name in $PACKAGES; do
    command -v "$name" >/dev/null && continue
    case $name in
    kube*)
      [[ $REPOSITORY == yes ]] || grep -rqsi kubernetes /etc/apt/sources.list /etc/apt/sources.list.d ||
        problem "$name is not on the image, and neither the request (apt_repository) nor the configuration (kubernetes.apt) gives a repository to install it from"
      ;;
    esac
    note "$name is missing and will be installed"
  done
  if command -v kubeadm >/dev/null; then
    version=$(kubeadm version -o short)
    version=${version#v1.}
    ((${version%%.*} >= 31)) || problem "kubeadm is $(kubeadm version -o short); Windlass needs 1.31 or newer"
  fi
  if command -v containerd >/dev/null && systemctl is-failed --quiet containerd; then
    problem "containerd does not run; look at 'journalctl -u containerd'"
  fi
}

check_swap() {
  in_container && return
  [[ -n $(swapon --noheadings --show 2>/dev/null) ]] && note "swap is on and will be turned off"
  return 0
}

check_dpkg() {
  command -v dpkg >/dev/null || return 0
  [[ -z $(dpkg --audit 2>/dev/null) ]] || note "an interrupted package installation will be completed"
  if command -v fuser >/dev/null && fuser -s /var/lib/dpkg/lock-frontend 2>/dev/null; then
    note "dpkg is busy; the installation of packages will wait for it"
  fi
}

[[ $(id -u) == 0 ]] || fail 65 "the SSH user cannot become root"
check_system
check_size
tell_clock
check_ports
check_software
check_swap
check_dpkg
