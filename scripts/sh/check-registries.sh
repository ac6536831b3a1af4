# shellcheck shell=bash
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
