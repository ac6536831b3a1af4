#!/bin/bash
# Sets a load balancer up before a cluster, as Tacker's install_external_lb.sh does: -m CONTROL-PLANES -w WORKERS, lists of
# addresses with commas between them. Windlass runs it as root, again whenever the nodes are others.
set -euo pipefail

while getopts m:w: option; do
  case $option in
  m) IFS=, read -ra control_planes <<<"$OPTARG" ;;
  w) IFS=, read -ra workers <<<"$OPTARG" ;;
  *) exit 2 ;;
  esac
done

command -v haproxy >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -qy haproxy

servers() { # servers PORT ADDRESS...
  local port=$1 address
  shift
  for address in "$@"; do echo "    server ${address//[.:]/-} $address:$port check"; done
}

new=$(mktemp)
trap 'rm -f "$new"' EXIT
cat >"$new" <<CONF
defaults
    mode tcp
    timeout connect 5s
    timeout client 4h
    timeout server 4h

frontend kubernetes-api
    bind *:8383
    default_backend kubernetes-api

backend kubernetes-api
$(servers 6443 "${control_planes[@]}")

frontend web
    bind *:30080
    default_backend web

backend web
$(servers 30080 "${control_planes[@]}" "${workers[@]}")
CONF
haproxy -c -q -f "$new"
install -m 0644 "$new" /etc/haproxy/haproxy.cfg
systemctl enable -q haproxy
systemctl reload-or-restart haproxy
