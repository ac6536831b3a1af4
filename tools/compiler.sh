#!/bin/sh
# Runs Go's compiler and linker for go build, as its -toolexec. They live for seconds: their garbage collector takes a
# fifth of their time, and is only needed when one of them comes near to this much memory. What debuggers read takes a
# tenth of the compiler's time, and no program that a task links keeps it.
tool=$1
shift
case $tool in
*/compile) [ "$1" = -V=full ] || set -- -dwarf=false "$@" ;;
esac
GOGC=off GOMEMLIMIT=2GiB exec "$tool" "$@"
