# shellcheck shell=bash
[[ -d $DIRECTORY ]] || exit 0
exec 9>>"$DIRECTORY/lock" || fail 78 "$DIRECTORY cannot be written to"
flock -n 9 || fail 75 "a run works with $DIRECTORY: $(head -c 200 "$DIRECTORY/owner" 2>/dev/null || true)"
rm -rf "$DIRECTORY"
