# shellcheck shell=bash
held() { [[ -n $(ip -o addr show to "$VIRTUAL_IP" 2>/dev/null) ]]; }
answers() { timeout 2 bash -c "exec 3<>/dev/tcp/$VIRTUAL_IP/$PORT" 2>/dev/null; }
settled() { held || answers; }
yes_no() { if "$@"; then echo yes; else echo no; fi; }

wait_until "$TIMEOUT" settled || true
result held "$(yes_no held)"
result answers "$(yes_no answers)"
