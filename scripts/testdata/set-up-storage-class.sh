#!/bin/bash
# windlass: set-up-storage-class
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='600'
NAMESPACE='windlass-storage'
CLASS='files'
DEPLOYMENT='nfs-files'
PROBE='windlass-probe-files'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/set-up-storage-class.sh
