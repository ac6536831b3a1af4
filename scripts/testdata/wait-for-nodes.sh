#!/bin/bash
# windlass: wait-for-nodes
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='600'
NODES='cp-1a2b3c4d worker-5e6f7a8b'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/wait-for-nodes.sh
