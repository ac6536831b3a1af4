#!/bin/bash
# windlass: balance-externally
NODE_NAME='lb-7c8d9e0f'
PORT='8383'
TIMEOUT='60'
LOCK_FOR='600'
SERVES='no'
SHARED='no'
NO_PROXY_LIST='10.0.0.0/24'

# here follows sh/lib-base.sh

# here follows sh/lib-cloud-init.sh

# here follows sh/lib-apt.sh

# here follows sh/lib-haproxy.sh

# here follows sh/lib-balancer.sh

# here follows sh/balance-externally.sh
