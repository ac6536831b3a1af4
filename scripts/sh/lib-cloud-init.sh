# shellcheck shell=bash
# wait_for_cloud_init: until then it writes to files that others write to, too. $LOCK_FOR bounds it.
wait_for_cloud_init() {
  command -v cloud-init >/dev/null || return 0
  note "waiting for cloud-init"
  timeout "$LOCK_FOR" cloud-init status --wait >/dev/null 2>&1 || {
    (($? != 124)) || fail 1 "cloud-init has not ended within $LOCK_FOR s; see /var/log/cloud-init-output.log"
    note "cloud-init ended with an error; see /var/log/cloud-init-output.log"
  }
}
