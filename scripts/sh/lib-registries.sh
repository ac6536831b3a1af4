# shellcheck shell=bash
# each_registry COMMAND: with SERVER, its number I, its root URL and its MANIFEST set.
each_registry() {
  local urls manifests
  read -ra urls <<<"${URLS:-}"
  read -ra manifests <<<"${MANIFESTS:-}"
  I=0
  for SERVER in $SERVERS; do
    URL=${urls[I]:-}
    MANIFEST=${manifests[I]:--}
    "$@"
    I=$((I + 1))
  done
}
