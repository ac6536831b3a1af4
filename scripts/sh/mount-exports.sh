# shellcheck shell=bash
# Every export is mounted, written to and unmounted again: what this node cannot reach, no pod on it can.
# Never below $SCRATCH, which is deleted with all that is in it.
POINT=/run/windlass-nfs

# sweep unmounts what a killed run has left.
sweep() {
  local at
  for at in "$POINT".*; do
    ! mountpoint -q "$at" || umount -l "$at" || true
    rmdir "$at" 2>/dev/null || true
  done
}

# try_mount SOURCE AT. The options let it give up: the default would wait for the server forever.
try_mount() { timeout 60 mount -t nfs -o soft,timeo=50,retrans=2 "$1" "$2" </dev/null >"$SCRATCH/attempt" 2>&1; }

# let_go AT
let_go() {
  umount "$1" 2>/dev/null || umount -l "$1" 2>/dev/null || true
  rmdir "$1" 2>/dev/null || true
}

# probe SERVER DIRECTORY
probe() {
  local source=$1:$2 at deadline=$((SECONDS + TIMEOUT)) reason
  [[ $1 != *:* ]] || source="[$1]:$2"
  at=$(mktemp -d "$POINT.XXXXXX")
  until try_mount "$source" "$at"; do
    reason=$(grep . "$SCRATCH/attempt" | tail -n 1 || true)
    if grep -qiE 'access denied|MNT3ERR_ACCES|Operation not permitted' "$SCRATCH/attempt"; then
      rmdir "$at"
      fail 1 "the storage server does not let this node mount $2 (${reason:-access denied}); see that the network of this node is in export_to"
    fi
    if grep -qiE 'bad option|unknown filesystem|No such device' "$SCRATCH/attempt" || ((SECONDS >= deadline)); then
      rmdir "$at"
      fail 1 "$2 of the storage server cannot be mounted from $1: ${reason:-the mount did not end in time}; see that its security group lets this node in (TCP 2049)"
    fi
    sleep 1
  done
  # shellcheck disable=SC2016 # of the inner shell
  if ! timeout 60 bash -c 'printf probe >"$1" && rm -f "$1"' _ "$at/.windlass-$NODE_NAME" </dev/null 2>"$SCRATCH/reason"; then
    let_go "$at"
    fail 1 "$2 of the storage server is mounted, but this node cannot write to it: $(tail -n 1 "$SCRATCH/reason")"
  fi
  let_go "$at"
  note "$source can be mounted and written to"
}

shopt -s nullglob
sweep
ensure_command mount.nfs nfs-common
for entry in $EXPORTS; do probe "${entry%%=*}" "${entry#*=}"; done
