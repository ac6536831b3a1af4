#!/bin/bash
# windlass: tell-hosts
NODE_NAME='cp-1a2b3c4d'
HOSTS='10.0.0.11 cp-1a2b3c4d,10.0.0.21 worker-5e6f7a8b'

# here follows sh/lib-base.sh

# here follows sh/lib-hosts.sh

# here follows sh/tell-hosts.sh
