#!/bin/bash
# windlass: move-volumes
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='60'
NAMESPACE='windlass-storage'
CLASS='files'
PROVISIONER='nfs.windlass/files'
SERVER='10.0.0.31'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/move-volumes.sh
