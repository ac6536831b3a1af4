# shellcheck shell=bash
# What lets HAProxy run on a node: $PORT is its first port, $TIMEOUT bounds waiting, $SERVES wants an API server behind it.
# serves: an API server is behind HAProxy. Without one HAProxy ends a connection at once; a server waits for the
# client to begin.
serves() {
  timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; read -r -t 1 -n 1 <&3; [[ \$? -gt 128 ]]" 2>/dev/null
}

# unread NAME: a file that is there while the running service has not read its configuration; it outlives a run
# that is cut short before the reload.
unread() { printf '/var/lib/windlass/unread-%s' "$1"; }

# place NAME FILE MODE: the input NAME becomes the file.
place() {
  if ! cmp -s "$SCRATCH/in.$1" "$2"; then
    mkdir -p /var/lib/windlass
    : >"$(unread "$1")"
  fi
  write_file "$2" "$3" <"$SCRATCH/in.$1"
}

# haproxy_workers lists the processes that HAProxy's master has started.
haproxy_workers() {
  local main file line state parent rest
  main=$(systemctl show -p MainPID --value haproxy)
  for file in /proc/[0-9]*/stat; do
    read -r line 2>/dev/null <"$file" || continue
    read -r state parent rest <<<"${line##*) }"
    [[ $parent != "$main" || $state == Z ]] || printf '%s\n' "${line%% *}"
  done
}

# renewed OLD...: there is a worker that is none of the old ones. The master keeps these when the new one fails.
renewed() { haproxy_workers | grep -vxF "$1" >/dev/null; }

# install_check_port makes the command with which keepalived and these scripts look at a port.
install_check_port() {
  write_file /usr/local/sbin/windlass-check-port 0755 <<'CHECK'
#!/bin/bash
# Written by Windlass: does something listen on that port of this node?
exec timeout 2 bash -c "exec 3<>/dev/tcp/127.0.0.1/$1" 2>/dev/null
CHECK
}

# configure_haproxy lets HAProxy run with the input haproxy. A reload drops no connection.
configure_haproxy() {
  attempt "HAProxy refuses its configuration" haproxy -c -q -f "$SCRATCH/in.haproxy"
  place haproxy /etc/haproxy/haproxy.cfg 0644
  systemctl enable -q haproxy
  if [[ -e $(unread haproxy) ]] && systemctl is-active --quiet haproxy; then
    old=$(haproxy_workers)
    service reload haproxy
    [[ -z $old ]] || wait_until "$TIMEOUT" renewed "$old" || fail 1 "HAProxy goes on with its old configuration; look at 'journalctl -u haproxy'"
  fi
  service start haproxy
  wait_until "$TIMEOUT" /usr/local/sbin/windlass-check-port "$PORT" || fail 1 "HAProxy runs but does not listen on port $PORT; look at 'journalctl -u haproxy'"
  if [[ $SERVES == yes ]]; then
    wait_until "$TIMEOUT" serves || fail 1 "HAProxy reaches no API server; look at 'journalctl -u haproxy'"
  fi
  rm -f "$(unread haproxy)"
}

running() { systemctl is-active --quiet haproxy && systemctl is-active --quiet keepalived && /usr/local/sbin/windlass-check-port "$PORT"; }

# configure_keepalived lets keepalived run with the input keepalived, beside HAProxy. The file has a password in it, hence
# 0600. A reload keeps the virtual IP where it is, a restart would send it away and back.
configure_keepalived() {
  place keepalived /etc/keepalived/keepalived.conf 0600
  systemctl enable -q keepalived
  if [[ -e $(unread keepalived) ]] && systemctl is-active --quiet keepalived; then
    service reload keepalived
  fi
  service start keepalived
  wait_until "$TIMEOUT" running || fail 1 "HAProxy and keepalived do not stay up; look at 'journalctl -u haproxy -u keepalived'"
  rm -f "$(unread keepalived)"
}
