# shellcheck shell=bash
read_inputs
if [[ ! -e $PARTS/haproxy.cfg ]]; then
  result ours no
  exit 0
fi
result ours yes
PORT=$(<"$PARTS/port")
for port in $PORTS; do
  [[ $port != "$PORT" && $port != 22 ]] || fail 78 "the port $port of a Service is the load balancer's own; give the Service another nodePort"
done
lock_balancer
cp "$PARTS/haproxy.cfg" "$SCRATCH/in.haproxy"
if [[ -n $PORTS ]]; then
  write_file "$PARTS/exposed/$OWNER" 0644 <<<"$PORTS"
else
  rm -f "$PARTS/exposed/$OWNER"
fi
compose_haproxy "$PARTS/nodes"
install_check_port
configure_haproxy
tell_routes
