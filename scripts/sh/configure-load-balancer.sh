# shellcheck shell=bash
running() { systemctl is-active --quiet haproxy && systemctl is-active --quiet keepalived && /usr/local/sbin/windlass-check-port "$PORT"; }

read_inputs
need_input haproxy keepalived

write_file /usr/local/sbin/windlass-check-port 0755 <<'CHECK'
#!/bin/bash
# Written by Windlass: does something listen on that port of this node?
exec timeout 2 bash -c "exec 3<>/dev/tcp/127.0.0.1/$1" 2>/dev/null
CHECK

attempt "HAProxy refuses its configuration" haproxy -c -q -f "$SCRATCH/in.haproxy"
write_file /etc/haproxy/haproxy.cfg 0644 <"$SCRATCH/in.haproxy"
systemctl enable -q haproxy
if [[ $CHANGED == yes ]] && systemctl is-active --quiet haproxy; then
  service reload haproxy
fi
service start haproxy
wait_until "$TIMEOUT" /usr/local/sbin/windlass-check-port "$PORT" || fail 1 "HAProxy runs but does not listen on port $PORT; look at 'journalctl -u haproxy'"

# It has a password in it, hence 0600; keepalived -t would complain about nothing more than the start does.
write_file /etc/keepalived/keepalived.conf 0600 <"$SCRATCH/in.keepalived"
systemctl enable -q keepalived
if [[ $CHANGED == yes ]] && systemctl is-active --quiet keepalived; then
  service restart keepalived
fi
service start keepalived
wait_until "$TIMEOUT" running || fail 1 "HAProxy and keepalived do not stay up; look at 'journalctl -u haproxy -u keepalived'"
