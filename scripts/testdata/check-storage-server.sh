#!/bin/bash
# windlass: check-storage-server
NODE_NAME='storage-7c8d9e0f'
ADDRESS='10.0.0.31'

# here follows sh/lib-base.sh

# here follows sh/lib-nfs.sh

# here follows sh/check-storage-server.sh
