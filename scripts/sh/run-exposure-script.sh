# shellcheck shell=bash
read_inputs
need_input script
attempt "the package's script of the load balancer failed" bash "$SCRATCH/in.script" -i "$SERVICES" -a "$ADD"
