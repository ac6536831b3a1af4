#!/usr/bin/env bash
# Counts what says how well the house is planned, at a commit: uses of the operations' names, readers of requests, and
# lines of Go for each folder. Tests do not count, and neither do the lab and what is generated.
# Usage: tools/house.sh [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."
at=${1:-HEAD}

operations='\bOp(Instantiate|Scale|ScaleToLevel|Heal|ModifyInfo|Operate|ChangeExtConn|ChangeVnfPkg|ChangeFlavour|Terminate)\b'
requests='lcm\.Parse(Instantiate|Scale|ScaleToLevel|Heal|Modify|Operate|ChangeExtConn|ChangeVnfPkg|Terminate)\('
requests+='|lcm\.ReadRequest\(|\brequests\.(Read|Of)\(|\b(o|of|opOcc|former)\.Request\(\)'

# found PATTERN: every occurrence in the product, as FILE:TEXT.
found() {
  git grep -oE "$1" "$at" -- '*.go' ':!*_test.go' ':!deployments/lab' ':!tests' ':!*/*test/*' | cut -d: -f2-
}

count() {
  printf '%-42s %5d in %d files\n' "$1" "$(grep -c . <<<"$2" || true)" "$(cut -d: -f1 <<<"$2" | sort -u | grep -c . || true)"
}

printf 'at %s\n' "$(git log -1 --format='%h, %cs' "$at")"
count 'uses of names of operations' "$(found "$operations")"
count 'readers of the requests of operations' "$(found "$requests")"
count 'places that name pod_cidr or its fields' "$(found 'pod_cidr|PodCIDR')"
printf '\nlines of Go without tests, by folder\n'
git grep -c '' "$at" -- '*.go' ':!*_test.go' | cut -d: -f2- |
  awk -F: '{n = split($1, part, "/"); folder = n > 2 ? part[1] "/" part[2] : n > 1 ? part[1] : "."; lines[folder] += $2; all += $2}
    END {for (f in lines) printf "%7d %s\n", lines[f], f; printf "%7d all\n", all}' | sort -rn
