# shellcheck shell=bash
rm -f "$FILE"
