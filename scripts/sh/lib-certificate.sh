# shellcheck shell=bash
# A registry's certificate, and the CA that signs it. Both keys are made on the machine; that of the CA is in $CA_DIR, which may
# be on a volume, for clients trust the CA longer than a machine lives.

# How many days a CA is valid: longer than any certificate that it signs.
CA_DAYS=7300

# certified KEY CERTIFICATE: both can be read, and belong together.
certified() {
  [[ -s $1 && -s $2 ]] || return
  openssl pkey -in "$1" -pubout -out "$SCRATCH/public.key" 2>/dev/null || return
  openssl x509 -in "$2" -noout -pubkey >"$SCRATCH/public.crt" 2>/dev/null || return
  cmp -s "$SCRATCH/public.key" "$SCRATCH/public.crt"
}

# lasts CERTIFICATE DAYS
lasts() { openssl x509 -in "$1" -noout -checkend $(($2 * 86400)) >/dev/null 2>&1; }

# with_openssl SENTENCE ARGS...: what it prints is shown only when it fails.
with_openssl() {
  local sentence=$1
  shift
  openssl "$@" </dev/null >"$SCRATCH/attempt" 2>&1 || explain "$sentence" $?
}

# new_key FILE: on an elliptic curve that every client knows.
new_key() {
  (umask 077 && : >"$1")
  with_openssl "no key can be made" genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

# configure_openssl: nothing depends on the configuration of the image.
configure_openssl() {
  cat >"$SCRATCH/openssl.cnf" <<CONFIG
[ca]
default_ca = registry
[registry]
database = $SCRATCH/issued/index
serial = $SCRATCH/issued/serial
new_certs_dir = $SCRATCH/issued
default_md = sha256
policy = names
[names]
commonName = supplied
[req]
distinguished_name = nobody
[nobody]
[authority]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = $CERTIFICATE_NAMES
CONFIG
}

# sign NAME KEY EXTENSIONS DAYS CERTIFICATE ARGS...: valid since an hour ago, for clocks differ.
sign() {
  local name=$1 key=$2 extensions=$3 days=$4 certificate=$5
  shift 5
  rm -rf "$SCRATCH/issued"
  mkdir "$SCRATCH/issued"
  : >"$SCRATCH/issued/index"
  with_openssl "no serial number can be made" rand -hex -out "$SCRATCH/issued/serial" 16
  with_openssl "no request for a certificate can be made" req -new -config "$SCRATCH/openssl.cnf" -key "$key" -subj "/CN=$name" -out "$SCRATCH/request"
  with_openssl "the certificate cannot be signed" ca -batch -notext -config "$SCRATCH/openssl.cnf" -extensions "$extensions" -days "$days" \
    -startdate "$(date -u -d '1 hour ago' +%Y%m%d%H%M%SZ)" -in "$SCRATCH/request" -out "$certificate" "$@"
}

# make_ca: one that is there stays as long as it can, for clients trust it.
make_ca() {
  local why=''
  if [[ ! -e $CA_DIR/ca.crt ]]; then
    why='there is none yet'
  elif ! certified "$CA_DIR/ca.key" "$CA_DIR/ca.crt"; then
    why="the one in $CA_DIR is damaged"
  elif ! lasts "$CA_DIR/ca.crt" "$VALID_DAYS"; then
    why="the one in $CA_DIR ends too soon"
  fi
  if [[ -z $why ]]; then
    note "the CA of before signs the certificate"
    return
  fi
  note "a CA is made: $why"
  new_key "$SCRATCH/ca.key"
  sign "Windlass registry CA $CA_NAME" "$SCRATCH/ca.key" authority "$CA_DAYS" "$SCRATCH/ca.crt" -selfsign -keyfile "$SCRATCH/ca.key"
  mkdir -p "$CA_DIR"
  chmod 0700 "$CA_DIR"
  # The certificate is the last: a CA without one is made anew.
  rm -f "$CA_DIR/ca.crt"
  write_file "$CA_DIR/ca.key" 0600 <"$SCRATCH/ca.key"
  write_file "$CA_DIR/ca.crt" 0644 <"$SCRATCH/ca.crt"
  sync -f "$CA_DIR" 2>/dev/null || sync
}

# certificate_fits DIRECTORY: what is there has these names, is of this CA, and a third of its time is left.
certificate_fits() {
  [[ -s $1/registry.names && $(<"$1/registry.names") == "$CERTIFICATE_NAMES" ]] || return
  certified "$1/registry.key" "$1/registry.crt" || return
  openssl verify -no-CApath -CAfile "$CA_DIR/ca.crt" "$1/registry.crt" >/dev/null 2>&1 || return
  lasts "$1/registry.crt" $((VALID_DAYS / 3))
}

# make_certificate DIRECTORY: leaves the certificate and its key where those of a request would be.
make_certificate() {
  if ! command -v openssl >/dev/null; then
    attempt "the package lists of the image's repositories cannot be read" apt_get update
    attempt "openssl is missing and cannot be installed" apt_get install openssl
  fi
  configure_openssl
  make_ca
  if certificate_fits "$1"; then
    note "the certificate of before is kept"
    cp "$1/registry.crt" "$SCRATCH/in.registry.crt"
    cp "$1/registry.key" "$SCRATCH/in.registry.key"
  else
    note "a certificate is made for ${CERTIFICATE_NAMES//,/, }"
    new_key "$SCRATCH/in.registry.key"
    sign "Windlass registry $CA_NAME" "$SCRATCH/in.registry.key" server "$VALID_DAYS" "$SCRATCH/in.registry.crt" \
      -cert "$CA_DIR/ca.crt" -keyfile "$CA_DIR/ca.key"
  fi
  printf '%s\n' "$CERTIFICATE_NAMES" >"$SCRATCH/in.registry.names"
}
