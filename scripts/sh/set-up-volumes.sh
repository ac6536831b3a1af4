# shellcheck shell=bash
# Disks are found by the id that Cinder gave the volume, of which hypervisors make the disk's serial number: a name such as
# /dev/vdb may be another disk's after the next boot.

# serial_of DISK prints what the kernel knows as the serial number of a disk.
serial_of() {
  local file
  for file in "/sys/block/$1/serial" "/sys/block/$1/device/serial" "/sys/block/$1/device/vpd_pg80" "/sys/block/$1/device/wwid"; do
    # A serial number in a page of SCSI has four bytes in front, and pages are padded.
    [[ ! -r $file ]] || tr -cd '[:alnum:]_.-' <"$file" 2>/dev/null || true
    printf '\n'
  done
}

# device_of ID prints the block device of a volume. Twenty characters of the id are what virtio has room for.
device_of() {
  local id=${1:0:20} link disk
  for link in /dev/disk/by-id/*"$id"*; do
    [[ -b $link && $link != *-part+([0-9]) ]] || continue
    readlink -f "$link"
    return
  done
  for disk in /sys/block/*; do
    disk=${disk##*/}
    [[ -b /dev/$disk && $(serial_of "$disk") == *"$id"* ]] || continue
    printf '/dev/%s\n' "$disk"
    return
  done
  return 1
}

found() { device_of "$1" >/dev/null; }

# type_of DEVICE prints the type of the file system on it, and nothing when it is empty. Two programs must agree that it is, and
# it must be readable: blkid says the same of a disk that it could not read as of one on which it has found nothing.
type_of() {
  local device=$1 rc=0 type seen
  head -c 4194304 "$device" >/dev/null 2>"$SCRATCH/reason" || fail 1 "the volume $ID ($device) cannot be read: $(tail -n 1 "$SCRATCH/reason")"
  type=$(blkid -p -o value -s TYPE "$device" 2>"$SCRATCH/reason") || rc=$?
  seen=$(wipefs --no-act --parsable "$device" 2>"$SCRATCH/reason" | grep -v '^#') || [[ -z $seen && ! -s $SCRATCH/reason ]] ||
    fail 1 "the volume $ID ($device) cannot be read: $(tail -n 1 "$SCRATCH/reason")"
  case $rc in
  0) ;;
  2)
    [[ -z $seen ]] || fail 65 "the volume $ID ($device) holds something that is no file system; Windlass does not overwrite it: clear it, or take another volume"
    return
    ;;
  *) fail 65 "the volume $ID ($device) has signatures of several kinds; Windlass does not overwrite it: clear it (wipefs), or take another volume" ;;
  esac
  case $type in
  ext2 | ext3 | ext4 | xfs) printf '%s' "$type" ;;
  *) fail 65 "the volume $ID ($device) holds ${type:-a partition table} and no file system; Windlass does not overwrite it: clear it, or take another volume" ;;
  esac
}

# make_file_system DEVICE is only for one that is empty.
make_file_system() {
  note "the volume $ID ($1) is empty: making a file system (ext4)"
  attempt "no file system can be made on the volume $ID ($1)" mkfs.ext4 -q -m 0 "$1"
  sync -f "$1" 2>/dev/null || sync
}

# mount_volume DEVICE TYPE DIRECTORY
mount_volume() {
  local want have elsewhere
  want=$(mountpoint -x "$1")
  have=$(findmnt -rno MAJ:MIN --mountpoint "$3" 2>/dev/null | tail -n 1 || true)
  if [[ -n $have ]]; then
    [[ $have == "$want" ]] || fail 1 "$3 has another file system already ($(findmnt -rno SOURCE --mountpoint "$3" | tail -n 1)); unmount it, or take another mount_to"
    return
  fi
  elsewhere=$(findmnt -rno MAJ:MIN,TARGET 2>/dev/null | awk -v want="$want" '$1 == want { print $2; exit }')
  [[ -z $elsewhere ]] || fail 1 "the volume $ID is mounted to $elsewhere already, and not to $3; unmount it"
  mkdir -p "$3"
  attempt "the volume $ID ($1) cannot be mounted to $3" mount -t "$2" "$1" "$3"
}

FSTAB_BEGIN='# windlass: volumes of the storage server' FSTAB_END='# windlass: end'

# own_fstab is /etc/fstab without the lines of earlier runs.
own_fstab() {
  [[ -e /etc/fstab ]] || return 0
  awk -v begin="$FSTAB_BEGIN" -v end="$FSTAB_END" '$0 == begin { skip = 1 } !skip { print } $0 == end { skip = 0 }' /etc/fstab
}

# remember writes the lines of $SCRATCH/fstab into /etc/fstab, in a block of its own: no other line is touched.
remember() {
  local to
  own_fstab >"$SCRATCH/own"
  for to in $DIRECTORIES; do
    awk -v to="$to" '$1 !~ /^#/ && $2 == to { found = 1 } END { exit !found }' "$SCRATCH/own" &&
      fail 1 "the image's own /etc/fstab mounts something to $to; take another mount_to"
  done
  {
    cat "$SCRATCH/own"
    printf '%s\n' "$FSTAB_BEGIN"
    cat "$SCRATCH/fstab"
    printf '%s\n' "$FSTAB_END"
  } >"$SCRATCH/new"
  write_file /etc/fstab 0644 <"$SCRATCH/new"
  [[ $CHANGED == no ]] || systemctl daemon-reload
}

wait_for_cloud_init # it writes to /etc/fstab
shopt -s extglob nullglob
# Nothing is done to a volume as long as another one is missing.
MISSING=''
for entry in $VOLUMES; do
  ID=${entry%%=*}
  wait_until "$TIMEOUT" found "$ID" || MISSING+="${MISSING:+ or }$ID"
done
[[ -z $MISSING ]] || fail 1 "no disk of this machine is the volume $MISSING: none has its id as serial number; see that it is attached"

DIRECTORIES=''
: >"$SCRATCH/fstab"
for entry in $VOLUMES; do
  ID=${entry%%=*} directory=${entry#*=}
  DIRECTORIES+="$directory "
  device=$(device_of "$ID")
  type=$(type_of "$device") || { rc=$?; note "$type"; exit "$rc"; }
  made=no
  if [[ -z $type ]]; then
    make_file_system "$device"
    made=yes type=ext4
  else
    note "the volume $ID ($device) holds a file system ($type): it is kept"
  fi
  uuid=$(blkid -p -o value -s UUID "$device")
  mount_volume "$device" "$type" "$directory"
  # Without nofail a volume that is lost would keep the machine from booting.
  printf 'UUID=%s %s %s defaults,nofail 0 2\n' "$uuid" "$directory" "$type" >>"$SCRATCH/fstab"
  note "the volume $ID is mounted to $directory"
  result volume "$ID|$device|$type|$made"
done
remember
