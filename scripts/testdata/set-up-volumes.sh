#!/bin/bash
# windlass: set-up-volumes
NODE_NAME='storage-7c8d9e0f'
VOLUMES='0b1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e=/volume'
TIMEOUT='60'
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
