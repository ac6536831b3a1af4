# shellcheck shell=bash
read_inputs
need_input manifest
need_api
# On the server's side: a manifest of a pod network is often too long for kubectl's annotation.
attempt "$MANIFEST cannot be applied" kube apply --server-side --force-conflicts --field-manager=windlass -f "$SCRATCH/in.manifest"
