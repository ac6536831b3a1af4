#!/bin/bash
# Sets up one web server. It is run again when a step is retried, so it does what it does twice, too.
set -euo pipefail

mkdir -p /srv/web
printf '%s from %s\n' "$GREETING" "$VNF_ADDRESS" >/srv/web/index.html
# LICENSE is a secret of the request: it is in no output and no argument.
install -m 0600 /dev/stdin /srv/web/license <<<"$LICENSE"
# shellcheck disable=SC2154 # Windlass sets it: the addresses of all servers of the VDU web, with spaces between them
tr ' ' '\n' <<<"$VNF_ADDRESSES_web" >/srv/web/servers

case $VNF_HOOK:$VNF_CHANGE in
  *:leaves) echo "$VNF_VNFC_ID leaves" ;;
  *:comes) echo "$VNF_VNFC_ID is new" ;;
  *) echo "$VNF_VNFC_ID knows of $(wc -l </srv/web/servers) servers" ;;
esac
