# shellcheck shell=bash
# What a server before a cluster sends traffic to has several owners: the cluster, and VNFs on it whose Services are
# exposed. Each has its part here; HAProxy's file is made of all of them, as a whole.
PARTS=/var/lib/windlass/balancer

# lock_balancer keeps operations on other VNFs away until the script ends.
lock_balancer() {
  mkdir -p "$PARTS/exposed"
  exec 9>"$PARTS/lock"
  flock -w "$TIMEOUT" 9 || fail 75 "another operation configures this load balancer"
}

# exposed_ports are those of Services, each once.
exposed_ports() { find "$PARTS/exposed" -type f -exec cat {} + | tr -s ' \n' '\n' | grep . | sort -un || true; }

# compose_haproxy adds to the input haproxy, which is the cluster's part, the exposed Services. The nodes are those of
# the file NODES: "name address", a line each. A port that the cluster's part has already leads to the same nodes.
compose_haproxy() {
  local port name address bind
  for port in $(exposed_ports); do
    if grep -qE "^    bind (\\*|\\[::\\]):$port( |\$)" "$SCRATCH/in.haproxy"; then
      continue
    fi
    bind="*:$port"
    if grep -q ':.*:' "$1"; then bind="[::]:$port v4v6"; fi
    {
      printf '\n# A Service of a VNF on the cluster.\nfrontend node-port-%s\n    bind %s\n' "$port" "$bind"
      printf '    default_backend node-port-%s\n\nbackend node-port-%s\n    balance roundrobin\n' "$port" "$port"
      printf '    option redispatch 1\n    default-server observe layer4 error-limit 3 on-error mark-down\n'
      printf '    default-server check inter 1s fastinter 500ms downinter 500ms fall 3 rise 1\n'
      while read -r name address; do
        [[ $address != *:* ]] || address="[$address]"
        printf '    server %s %s:%s\n' "$name" "$address" "$port"
      done <"$1"
    } >>"$SCRATCH/in.haproxy"
  done
}

# tell_routes shows what HAProxy sends to where.
tell_routes() { awk '/^backend/ { of = $2 } /^    server / { print "HAProxy sends " of " to " $2 " at " $3 }' /etc/haproxy/haproxy.cfg; }
