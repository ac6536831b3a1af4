#!/bin/sh
# Runs Go's compiler and linker for go build, as its -toolexec. They live for seconds: their garbage collector takes a
# fifth of their time, and is only needed when one of them comes near to this much memory.
GOGC=off GOMEMLIMIT=2GiB exec "$@"
