#!/bin/bash
# Builds Temporal's command line tool as a client only: build.sh FILE [FLAG OF go build ...]
# The tool also has a server, which takes minutes to compile; windlass dev has one already. So the tool is built from a
# copy whose package devserver is ours.
set -euo pipefail
cd "$(dirname "$0")"
file=$1
shift
export GOWORK=off
go mod download github.com/temporalio/cli
source=$(go list -m -f '{{.Dir}}' github.com/temporalio/cli)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r --no-preserve=mode "$source" "$work/cli"
rm "$work"/cli/temporalcli/devserver/{log,server}.go
cp withoutserver/devserver.go "$work/cli/temporalcli/devserver/server.go"
cp go.mod go.sum "$work/"
go mod edit -replace github.com/temporalio/cli="$work/cli" "$work/go.mod"
go build -modfile "$work/go.mod" "$@" -o "$file" github.com/temporalio/cli/cmd/temporal
