# shellcheck shell=bash
# It only looks. Nothing of this is secret: a CA certificate and a configuration without passwords.
content() { head -c 65536 "$1" 2>/dev/null || true; }
held() { [[ -n $(ip -o addr show to "$VIRTUAL_IP" 2>/dev/null) ]]; }
answers() { timeout 3 bash -c "exec 3<>/dev/tcp/$VIRTUAL_IP/$PORT" 2>/dev/null; }
yes_no() { if "$@"; then echo yes; else echo no; fi; }

result_text ca "$(content /etc/kubernetes/pki/ca.crt)"
[[ -n $VIRTUAL_IP ]] || exit 0
result_text haproxy "$(content /etc/haproxy/haproxy.cfg)"
result haproxy_runs "$(yes_no systemctl is-active --quiet haproxy)"
result keepalived_runs "$(yes_no systemctl is-active --quiet keepalived)"
result held "$(yes_no held)"
result answers "$(yes_no answers)"
