#!/bin/bash
# Fake machines note that it was run.
set -euo pipefail
echo "$VNF_HOOK"
