#!/bin/bash
# windlass: configure-load-balancer
NODE_NAME='cp-1a2b3c4d'
PORT='16443'
TIMEOUT='30'
SERVES='no'

# here follows sh/lib-base.sh

# here follows sh/lib-haproxy.sh

# here follows sh/configure-load-balancer.sh
