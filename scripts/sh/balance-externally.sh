# shellcheck shell=bash
# /etc/haproxy belongs to Windlass on a server that is nothing but a load balancer.
read_inputs
need_input haproxy nodes
wait_for_cloud_init
set_apt_proxy || true
ensure_command haproxy haproxy
[[ $SHARED != yes ]] || ensure_command keepalived keepalived
[[ $SHARED != yes ]] || need_input keepalived

# A server that has come for another one takes over what was exposed on that.
fresh=yes
[[ ! -e $PARTS/haproxy.cfg ]] || fresh=no
lock_balancer
if [[ $fresh == yes && -s $SCRATCH/in.exposed ]]; then
  while read -r owner ports; do
    write_file "$PARTS/exposed/$owner" 0644 <<<"$ports"
  done <"$SCRATCH/in.exposed"
fi
cp "$SCRATCH/in.haproxy" "$SCRATCH/part"
compose_haproxy "$SCRATCH/in.nodes"
install_check_port
configure_haproxy
write_file "$PARTS/nodes" 0644 <"$SCRATCH/in.nodes"
write_file "$PARTS/port" 0644 <<<"$PORT"
write_file "$PARTS/haproxy.cfg" 0644 <"$SCRATCH/part"
[[ $SHARED != yes ]] || configure_keepalived
tell_routes
for owner in "$PARTS"/exposed/*; do
  [[ ! -e $owner ]] || result exposed "${owner##*/}"
done
