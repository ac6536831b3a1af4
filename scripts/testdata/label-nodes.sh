#!/bin/bash
# windlass: label-nodes
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='60'
LABELS='worker-5e6f7a8b CIS-node=compute1 kubernetes.io/zone=az1'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/label-nodes.sh
