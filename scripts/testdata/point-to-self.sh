#!/bin/bash
# windlass: point-to-self
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='60'
GONE='10.0.0.12'
GONE_NODES='cp-9z'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/point-to-self.sh
