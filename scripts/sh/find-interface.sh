# shellcheck shell=bash
# "2: eth0    inet 10.0.0.11/24 brd ..."
found=$(ip -o addr show to "$ADDRESS" | awk 'NR == 1 { print $2, $4 }')
[[ -n $found ]] || fail 1 "no interface has the address $ADDRESS"
result interface "${found%% *}"
result prefix "${found##*/}"
