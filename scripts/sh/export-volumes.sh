# shellcheck shell=bash
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
