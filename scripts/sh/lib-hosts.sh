# shellcheck shell=bash
# write_hosts puts the names of the nodes ($HOSTS, "address name,...") into /etc/hosts, in a block of its own: no other
# line is touched, and each line of the block is exactly one node.
write_hosts() {
  local file=/etc/hosts begin='# windlass: nodes of the cluster' end='# windlass: end'
  {
    awk -v begin="$begin" -v end="$end" '$0 == begin { skip = 1 } !skip { print } $0 == end { skip = 0 }' "$file"
    printf '%s\n' "$begin"
    tr ',' '\n' <<<"$HOSTS"
    printf '%s\n' "$end"
  } >"$SCRATCH/hosts"
  # /etc/hosts may be a mount of its own, so it is written in place.
  cmp -s "$SCRATCH/hosts" "$file" || cat "$SCRATCH/hosts" >"$file"
}
