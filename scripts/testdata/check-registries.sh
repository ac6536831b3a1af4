#!/bin/bash
# windlass: check-registries
SERVERS='192.168.0.10:5000 registry.example.com'
URLS='http://192.168.0.10:5000 https://registry.example.com'
MANIFESTS='- /v2/library/busybox/manifests/1.36'

set -euo pipefail
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# What is secret lives here, in memory, for as long as the script; a killed one is swept up by the next.
find /run -maxdepth 1 -name 'windlass-scratch.*' -mmin +240 -exec rm -rf {} + 2>/dev/null || true
SCRATCH=$(mktemp -d /run/windlass-scratch.XXXXXX)
trap 'rm -rf "$SCRATCH"' EXIT
export TMPDIR=$SCRATCH # older shells keep here-documents in files
trap 'exit 143' HUP INT TERM

# fail CODE SENTENCE: 75 try again, 65 or 78 bad input, 73 disk full, 1 a person must look.
fail() {
  local code=$1
  shift
  printf 'windlass: %s\n' "$*"
  exit "$code"
}

note() { printf '%s\n' "$*"; }
result() { printf 'windlass-result: %s=%s\n' "$1" "$2"; }
result_text() { result "$1" "$(printf '%s' "$2" | base64 -w0)"; }

# read_inputs takes "name=base64" lines from stdin into files $SCRATCH/in.<name>.
read_inputs() {
  local line
  while IFS= read -r line; do
    base64 -d <<<"${line#*=}" >"$SCRATCH/in.${line%%=*}" || fail 65 "the input ${line%%=*} is not base64"
  done
}

# need_input NAME...: a retry after the worker lost its secrets must not run half blind.
need_input() {
  local name
  for name in "$@"; do
    [[ -s $SCRATCH/in.$name ]] || fail 65 "the input $name is missing"
  done
}

# attempt SENTENCE COMMAND...: runs it with its output shown; a failure ends the script with the sentence and
# the reason, and with the exit code that fits the reason.
attempt() {
  local sentence=$1 rc=0
  shift
  "$@" </dev/null 2>&1 | tee "$SCRATCH/attempt" || rc=$?
  ((rc == 0)) && return
  explain "$sentence" "$rc"
}

# explain SENTENCE CODE: reads the reason in $SCRATCH/attempt.
explain() {
  local reason
  if grep -q 'No space left on device' "$SCRATCH/attempt"; then
    fail 73 "$1: no space left on device"
  fi
  if (($2 == 124)); then
    fail 1 "$1: it did not end in time; its last line was: $(tail -n 1 "$SCRATCH/attempt")"
  fi
  if (($2 > 128)); then
    fail 75 "$1: it was killed by signal $(($2 - 128)); did the node run out of memory?"
  fi
  # kubeadm lists its preflight errors in brackets; elsewhere the last line says why.
  reason=$(grep -o '\[ERROR [^]]*\].*' "$SCRATCH/attempt" | paste -sd ';' || true)
  if [[ -n $reason ]]; then
    fail 1 "$1: ${reason//;/; }"
  fi
  reason=$(grep -E '^(E:|error|Error|\[ALERT\]|failed|Err:)' "$SCRATCH/attempt" | tail -n 1 || true)
  [[ -n $reason ]] || reason=$(grep -v '^To see the stack trace' "$SCRATCH/attempt" | grep . | tail -n 1 || true)
  # A control plane or kubelet that does not start is no matter of time, though what kubeadm says looks so.
  if grep -qE 'phase (wait-control-plane|kubelet-start|kubelet-wait-bootstrap)' "$SCRATCH/attempt"; then
    fail 1 "$1: $reason; look at 'journalctl -u kubelet' and the logs in /var/log/pods"
  fi
  if grep -qE 'connection refused|connection reset|no route to host|i/o timeout|TLS handshake timeout|Temporary failure|Could not get lock|could not get lock|Could not connect|Connection timed out|Client.Timeout|context deadline exceeded|etcdserver: |in sync with leader|unexpected EOF|the server is currently unable' "$SCRATCH/attempt"; then
    fail 75 "$1: $reason"
  fi
  fail 1 "$1: ${reason:-exit status $2}"
}

# service VERB NAME: systemctl, with the reason from the journal when it fails.
service() {
  local reason
  systemctl "$1" "$2" && return
  journalctl -u "$2" -n 30 -o cat --no-pager >"$SCRATCH/journal" 2>/dev/null || true
  reason=$(grep -iE 'alert|error|fatal|cannot|invalid' "$SCRATCH/journal" | tail -n 1 || true)
  fail 1 "$2 does not $1: ${reason:-look at the journal of $2}"
}

# wait_until SECONDS COMMAND...: looks four times a second.
wait_until() {
  local deadline=$((SECONDS + $1)) began
  shift
  while :; do
    began=$(now_us)
    if "$@"; then return; fi
    ((SECONDS < deadline)) || return 1
    rest_from "$began" 250000
  done
}

now_us() { printf '%s' "${EPOCHREALTIME/[.,]/}"; } # the separator is the locale's

# rest_from BEGAN LEAST: sleeps LEAST microseconds, or as long as what began then took, five seconds at most: who looks all
# the time at a machine that answers late makes it answer later.
rest_from() {
  local took=$(($(now_us) - $1))
  ((took > $2)) || took=$2
  ((took < 5000000)) || took=5000000
  sleep "$((took / 1000000)).$(printf %06d $((took % 1000000)))"
}

# write_file PATH MODE: content from stdin; CHANGED says whether it was another one before. Nobody ever sees
# half of the file. Not for the end of a pipe: a failure would end the pipe's own shell only.
write_file() {
  local new
  CHANGED=no
  mkdir -p "$(dirname "$1")"
  new=$(mktemp "$1.windlass.XXXXXX") || fail 73 "$1 cannot be written"
  cat >"$new" || { rm -f "$new"; fail 73 "$1 cannot be written"; }
  chmod "$2" "$new"
  if cmp -s "$new" "$1" && [[ $(stat -c %a "$1") == "$(stat -c %a "$new")" ]]; then
    rm -f "$new"
    return
  fi
  mv -f "$new" "$1"
  # shellcheck disable=SC2034 # for the caller
  CHANGED=yes
}

in_container() { systemd-detect-virt --quiet --container 2>/dev/null; }

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

# problem CLASS SENTENCE: of the registry that is looked at.
problem() {
  note "$SERVER $2"
  result_text failure "$1|$SERVER|$2"
}

# fetch URL CONFIG ARGS...: STATUS is the answer's; the answer is in $SCRATCH/body, its head in $SCRATCH/head. Secrets are in
# the configuration file, never among the arguments.
fetch() {
  local url=$1 config=$2
  shift 2
  STATUS=000
  : >"$SCRATCH/body" && : >"$SCRATCH/head"
  STATUS=$(curl -q -sS -L --max-redirs 5 --proto '=http,https' --connect-timeout 10 --max-time 30 --max-filesize 8388608 \
    --cacert "$SCRATCH/bundle" -K "$config" -D "$SCRATCH/head" -o "$SCRATCH/body" -w '%{http_code}' "$@" "$url" 2>"$SCRATCH/why")
}

# first KEY: the first text of the list of that name in the answer.
first() { tr -d ' \t\r\n' <"$SCRATCH/body" | grep -oE "\"$1\":\[\"[^\"]+\"" | head -n 1 | cut -d '"' -f 4; }

# challenge NAME: of the token that the registry wants.
challenge() { tr -d '\r' <"$SCRATCH/head.wanted" | grep -i '^www-authenticate: *bearer ' | tail -n 1 | grep -oE "$1=\"[^\"]*\"" | head -n 1 | cut -d '"' -f 2; }

# ask PATH: with a token from where the registry says, if it wants one.
ask() {
  local realm service scope token
  fetch "$URL$1" "$SCRATCH/in.curl.$I" || return
  [[ $STATUS == 401 ]] || return 0
  cp "$SCRATCH/head" "$SCRATCH/head.wanted"
  realm=$(challenge realm) || return 0
  service=$(challenge service) || service=''
  scope=$(challenge scope) || scope=''
  fetch "$realm" "$SCRATCH/in.curl.$I" -G ${service:+--data-urlencode "service=$service"} ${scope:+--data-urlencode "scope=$scope"} || return
  if [[ $STATUS != 200 ]]; then
    [[ $STATUS == 5* ]] || STATUS=401
    return 0
  fi
  token=$(tr -d ' \t\r\n' <"$SCRATCH/body" | grep -oE '"(access_)?token":"[^"]+"' | head -n 1 | cut -d '"' -f 4) || true
  STATUS=401
  [[ -n $token ]] || return 0
  {
    grep -v '^user = ' "$SCRATCH/in.curl.$I"
    printf 'header = "Authorization: Bearer %s"\n' "$token"
  } >"$SCRATCH/bearer"
  fetch "$URL$1" "$SCRATCH/bearer"
}

# unreached CODE: why curl had no answer.
unreached() {
  local why
  why=$(sed -E 's/^curl: \([0-9]+\) //' "$SCRATCH/why" | grep . | head -n 1 || true)
  why=${why:-curl ended with $1}
  case $1-$why in
  5-* | 6-* | 28-*esolv*) problem unknown "has a name that this node cannot resolve ($why); give hosts_string, or the node a DNS server that knows it" ;;
  7-* | 28-* | 52-* | 55-* | 56-* | 97-*) problem away "does not answer ($why); see that it runs, and that security groups and routes let the node through" ;;
  51-* | 60-* | 77-*) problem untrusted "has a certificate that is not trusted (x509: ${why#SSL certificate problem: }); give the certificate of its CA (ca_certificate or certificate_path), or mend the registry's" ;;
  35-*) problem wrong "does not speak TLS as it should ($why); is its connection_type \"0\"?" ;;
  *) problem wrong "cannot be asked ($why)" ;;
  esac
}

# refused: what the registry's root answers instead of 200.
refused() {
  case $STATUS in
  401 | 403)
    if grep -q '^user = ' "$SCRATCH/in.curl.$I"; then
      problem denied "refuses the user name or the password ($STATUS); correct them, or the registry's user"
    else
      problem denied "wants a user name and a password ($STATUS), and none are given"
    fi
    ;;
  429 | 5*) problem away "is not ready: it answers $STATUS" ;;
  400) problem wrong "answers 400; does it speak HTTPS, so that its connection_type is \"1\"?" ;;
  *) problem wrong "is no registry of images: it answers $STATUS at $URL/v2/" ;;
  esac
}

# look_at_image: the manifest that must come.
look_at_image() {
  local code=0 image=${MANIFEST#/v2/}
  image="${image%%/manifests/*} ${image##*/manifests/}"
  if [[ $image == *:* ]]; then image=${image/ /@}; else image=${image/ /:}; fi
  ask "$MANIFEST" || code=$?
  if ((code != 0)); then
    unreached "$code"
    return
  fi
  case $STATUS in
  200)
    note "$SERVER answers; the manifest of $image comes"
    result_text manifest "$SERVER $image"
    ;;
  401 | 403) problem denied "does not give this user the manifest of test_image $image ($STATUS); allow it, or name another image" ;;
  404) problem wrong "does not have test_image $image (404); push it there, or name another image" ;;
  429 | 5*) problem away "is not ready: it answers $STATUS for the manifest of test_image $image" ;;
  *) problem wrong "answers $STATUS for the manifest of test_image $image" ;;
  esac
}

look() {
  local code=0 repository tag
  {
    cat /etc/ssl/certs/ca-certificates.crt 2>/dev/null || true
    cat "$SCRATCH/in.ca.$I" 2>/dev/null || true
  } >"$SCRATCH/bundle"
  ask /v2/ || code=$?
  if ((code != 0)); then
    unreached "$code"
    return
  fi
  if [[ $STATUS != 200 ]]; then
    refused
    return
  fi
  if [[ $MANIFEST != - ]]; then
    look_at_image
    return
  fi
  if ! ask '/v2/_catalog?n=1' || [[ $STATUS != 200 ]]; then
    note "$SERVER answers; it does not tell what it has"
    return
  fi
  repository=$(first repositories || true)
  if [[ -z $repository ]]; then
    note "$SERVER answers; it has no image yet"
    return
  fi
  if ! ask "/v2/$repository/tags/list" || [[ $STATUS != 200 ]]; then
    note "$SERVER answers; it does not tell the tags of $repository"
    return
  fi
  tag=$(first tags || true)
  [[ -n $tag ]] || { note "$SERVER answers; $repository has no tag"; return; }
  code=0
  ask "/v2/$repository/manifests/$tag" || code=$?
  if ((code != 0)); then
    unreached "$code"
  elif [[ $STATUS == 200 ]]; then
    note "$SERVER answers; the manifest of $repository:$tag comes"
    result_text manifest "$SERVER $repository:$tag"
  elif [[ $STATUS == 5* ]]; then
    problem away "is not ready: it answers $STATUS for the manifest of $repository:$tag"
  else
    note "$SERVER answers; $repository:$tag itself is not for this user ($STATUS)"
  fi
}

read_inputs
command -v curl >/dev/null ||
  attempt "curl is missing and cannot be installed" apt-get -q -y -o DPkg::Lock::Timeout=120 -o APT::Install-Recommends=false install curl
each_registry look
