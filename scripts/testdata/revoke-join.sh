#!/bin/bash
# windlass: revoke-join
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='60'
OPERATION='4711'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/revoke-join.sh
