# shellcheck shell=bash
# write_block BEGIN ENTRIES: the entries ("address name,...") stand in /etc/hosts in a block that begins so: no other line is
# touched, and each line of the block is exactly one entry. Without entries there is no block.
write_block() {
  local file=/etc/hosts end='# windlass: end'
  {
    awk -v begin="$1" -v end="$end" '$0 == begin { skip = 1 } !skip { print } $0 == end { skip = 0 }' "$file"
    if [[ -n $2 ]]; then
      printf '%s\n' "$1"
      tr ',' '\n' <<<"$2"
      printf '%s\n' "$end"
    fi
  } >"$SCRATCH/hosts"
  # /etc/hosts may be a mount of its own, so it is written in place.
  cmp -s "$SCRATCH/hosts" "$file" || cat "$SCRATCH/hosts" >"$file"
}

# write_hosts: the names of the nodes ($HOSTS).
write_hosts() { write_block '# windlass: nodes of the cluster' "$HOSTS"; }
