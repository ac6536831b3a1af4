#!/bin/bash
# windlass: export-volumes
NODE_NAME='storage-7c8d9e0f'
EXPORTS='/volume/nfs/pv1=10.0.0.0/24,10.1.0.5'
MOUNTS='/volume'
NO_PROXY_LIST='localhost'
LOCK_FOR='600'
TIMEOUT='60'

# here follows sh/lib-base.sh

# here follows sh/lib-apt.sh

# here follows sh/lib-nfs.sh

# here follows sh/export-volumes.sh
