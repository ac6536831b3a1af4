# shellcheck shell=bash
write_hosts
