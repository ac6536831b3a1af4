# shellcheck shell=bash
# read_members fills $SCRATCH/members with a line "id|name|peer|started|learner|healthy" for each member of etcd; the
# name is empty until it has started.
read_members() {
  etcd member list >"$SCRATCH/list" 2>"$SCRATCH/reason" && [[ -s $SCRATCH/list ]] || return 1
  etcd endpoint health --cluster >"$SCRATCH/health" 2>&1 || true
  awk -F ', ' '
    FILENAME == ARGV[1] { if (sub(/ is healthy: .*/, "")) up[$0] = 1; next }
    {
      healthy = "no"
      count = split($5, urls, ",")
      for (i = 1; i <= count; i++) if (urls[i] in up) healthy = "yes"
      print $1 "|" $3 "|" $4 "|" ($2 == "started" ? "yes" : "no") "|" ($6 == "true" ? "yes" : "no") "|" healthy
    }' "$SCRATCH/health" "$SCRATCH/list" >"$SCRATCH/members"
}

# leaderless: etcd runs on this node but has found no majority. It says so where kubeadm lets it serve its metrics,
# which needs neither the API server nor etcdctl.
leaderless() {
  local answer
  # shellcheck disable=SC2016 # it is for the inner shell
  answer=$(timeout 5 bash -c 'exec 3<>"/dev/tcp/$1/2381" && printf "GET /health HTTP/1.0\r\n\r\n" >&3 && cat <&3' _ "$(loopback)" 2>/dev/null) &&
    [[ $answer == *'"health":"false"'* ]]
}

# need_etcd is need_api for scripts whose caller wants to know that etcd has lost its quorum: result quorum=lost.
need_etcd() {
  wait_until 30 api_ready && return
  if leaderless; then
    note "etcd has no leader: too few of its members work"
    result quorum lost
    exit 0
  fi
  fail 75 "the API server of this control plane is not ready"
}
