#!/bin/bash
# Takes docs/images/temporal-operation.png: an operation in the Temporal Web UI of a running `windlass dev`.
# Usage: docs/screenshot.sh [OPERATION_ID]      default: the newest operation
# The Web UI is at WINDLASS_UI and the API at WINDLASS_API, by default where windlass dev serves them. Needs chromium.
set -euo pipefail
cd "$(dirname "$0")/.."

ui=${WINDLASS_UI:-http://127.0.0.1:8233}
picture=docs/images/temporal-operation.png
id=${1:-}
if [ -z "$id" ]; then
	id=$(bin/windlass op list | awk 'NR > 1 && $5 >= newest { newest = $5; id = $1 } END { print id }')
fi
if [ -z "$id" ]; then
	echo "There is no operation to take a picture of; run: go tool task demo" >&2
	exit 1
fi

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
	echo "chromium is needed: apt-get install chromium" >&2
	exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "${picture%/*}"

# shoot MILLISECONDS: the virtual clock runs ahead of the page's requests, which gives it that time to load.
# Without a network of its own: what a browser asks the world for at its start would only delay it.
shoot() {
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" --window-size=1500,2400 \
		--virtual-time-budget="$1" --dump-dom --screenshot="$work/page.png" \
		"$ui/namespaces/windlass/workflows/lcm-$id" >"$work/page.html" 2>"$work/log"
}

for budget in 20000 60000 180000; do
	shoot "$budget" || {
		cat "$work/log" >&2
		exit 1
	}
	# The timeline is what loads last; every operation has one of these activities.
	if grep -qE 'CreateStack|ChangeStack|DeleteStack' "$work/page.html"; then
		mv "$work/page.png" "$picture"
		echo "$picture shows operation $id"
		exit 0
	fi
done
echo "The Web UI at $ui does not show operation $id" >&2
exit 1
