#!/bin/bash
# windlass: set-up-volumes
NODE_NAME='storage-7c8d9e0f'
VOLUMES='0b1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e=/volume'
TIMEOUT='60'
LOCK_FOR='600'

# here follows sh/lib-base.sh

# here follows sh/lib-cloud-init.sh

# here follows sh/set-up-volumes.sh
