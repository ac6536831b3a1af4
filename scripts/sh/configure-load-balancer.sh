# shellcheck shell=bash
running() { systemctl is-active --quiet haproxy && systemctl is-active --quiet keepalived && /usr/local/sbin/windlass-check-port "$PORT"; }

read_inputs
need_input haproxy keepalived
install_check_port
configure_haproxy

# It has a password in it, hence 0600. A reload keeps the virtual IP where it is, a restart would send it away and back.
place keepalived /etc/keepalived/keepalived.conf 0600
systemctl enable -q keepalived
if [[ -e $(unread keepalived) ]] && systemctl is-active --quiet keepalived; then
  service reload keepalived
fi
service start keepalived
wait_until "$TIMEOUT" running || fail 1 "HAProxy and keepalived do not stay up; look at 'journalctl -u haproxy -u keepalived'"
rm -f "$(unread keepalived)"
grep -E '^    server ' /etc/haproxy/haproxy.cfg | awk '{ print "HAProxy sends to " $2 " at " $3 }'
