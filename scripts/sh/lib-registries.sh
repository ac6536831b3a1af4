# shellcheck shell=bash
# each_registry COMMAND: with SERVER, its number I and its root URL set.
each_registry() {
  local urls
  read -ra urls <<<"${URLS:-}"
  I=0
  for SERVER in $SERVERS; do
    URL=${urls[I]:-}
    "$@"
    I=$((I + 1))
  done
}
