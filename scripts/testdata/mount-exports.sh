#!/bin/bash
# windlass: mount-exports
NODE_NAME='worker-5e6f7a8b'
EXPORTS='10.0.0.31=/volume/nfs/pv1'
NO_PROXY_LIST=''
LOCK_FOR='600'
TIMEOUT='60'

# here follows sh/lib-base.sh

# here follows sh/lib-apt.sh

# here follows sh/mount-exports.sh
