#!/bin/bash
# windlass: remove-members
CLUSTER='7f3c'
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
ROLE='control-plane'
TIMEOUT='120'
LEAVING='cp-9z=https://10.0.0.12:2380'

# here follows sh/lib-base.sh

# here follows sh/lib-kube.sh

# here follows sh/lib-etcd.sh

# here follows sh/remove-members.sh
