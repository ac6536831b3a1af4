# shellcheck shell=bash
read_inputs
need_input haproxy keepalived
install_check_port
configure_haproxy
configure_keepalived
grep -E '^    server ' /etc/haproxy/haproxy.cfg | awk '{ print "HAProxy sends to " $2 " at " $3 }'
