#!/bin/bash
# windlass: delete-node
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='60'
LEAVING='worker-5e6f7a8b'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/lib-leave.sh

# here follows sh/delete-node.sh
