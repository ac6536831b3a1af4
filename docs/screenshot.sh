#!/bin/bash
# Takes docs/images/operation.png: an operation in the Temporal Web UI of a running `windlass dev`.
# Usage: docs/screenshot.sh [OPERATION_ID]      default: the newest operation
# The Web UI is at WINDLASS_UI, by default where windlass dev serves it. Needs chromium.
set -euo pipefail
cd "$(dirname "$0")/.."

ui=${WINDLASS_UI:-http://127.0.0.1:8233}
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

profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
mkdir -p docs/images
# The virtual clock runs ahead of the page's requests, which gives it the time to load.
"$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$profile" \
	--window-size=1600,1500 --virtual-time-budget=20000 --screenshot="$PWD/docs/images/operation.png" \
	"$ui/namespaces/windlass/workflows/lcm-$id" 2>"$profile/log" || {
	cat "$profile/log" >&2
	exit 1
}
echo "docs/images/operation.png shows operation $id"
