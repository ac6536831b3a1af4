#!/bin/bash
# windlass: expose-services
OWNER='4a0b6c1e'
PORTS='30080 30443'
TIMEOUT='60'
SERVES='no'

# here follows sh/lib-base.sh

# here follows sh/lib-haproxy.sh

# here follows sh/lib-balancer.sh

# here follows sh/expose-services.sh
