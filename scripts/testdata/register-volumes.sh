#!/bin/bash
# windlass: register-volumes
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='60'
MANIFEST='Files/kubernetes/nfs-pv1.yaml'
NAMES='nfs-pv1'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/register-volumes.sh
