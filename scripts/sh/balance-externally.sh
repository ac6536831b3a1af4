# shellcheck shell=bash
# /etc/haproxy belongs to Windlass on a server that is nothing but a load balancer.
wait_for_cloud_init
ensure_command haproxy haproxy
read_inputs
need_input haproxy
install_check_port
configure_haproxy
grep -E '^    server ' /etc/haproxy/haproxy.cfg | awk '{ print "HAProxy sends to " $2 " at " $3 }'
