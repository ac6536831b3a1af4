# shellcheck shell=bash
problem() {
  note "problem: $*"
  result_text problem "$*"
}

check_system() {
  local ID='' ID_LIKE='' PRETTY_NAME='an unknown system'
  # shellcheck disable=SC1091
  [[ -r /etc/os-release ]] && . /etc/os-release
  case " $ID $ID_LIKE " in
  *\ debian\ * | *\ ubuntu\ *) ;;
  *) problem "the image is $PRETTY_NAME; Windlass prepares Debian and Ubuntu" ;;
  esac
  note "$PRETTY_NAME, kernel $(uname -r)"
  [[ -d /run/systemd/system ]] || problem "systemd does not run; the NFS server needs it"
  if [[ -z $(ip -o addr show to "$ADDRESS" 2>/dev/null) ]]; then
    problem "no interface has the address $ADDRESS; the image must configure the port that nic_cp_name names"
  fi
}

check_tools() {
  local name
  for name in blkid wipefs findmnt mountpoint mkfs.ext4; do
    command -v "$name" >/dev/null || problem "the image has no $name; it needs util-linux and e2fsprogs"
  done
}

check_server() {
  case $(nfs_kind) in
  kernel) note "the NFS server will be the kernel's" ;;
  ganesha) note "the NFS server will be Ganesha" ;;
  *) problem "$NO_NFS_SERVER" ;;
  esac
}

[[ $(id -u) == 0 ]] || fail 65 "the SSH user cannot become root"
check_system
check_tools
check_server
