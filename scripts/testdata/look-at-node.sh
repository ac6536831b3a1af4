#!/bin/bash
# windlass: look-at-node
NODE_NAME='cp-1a2b3c4d'
VIRTUAL_IP='10.0.0.10'
PORT='16443'

# here follows sh/lib-base.sh

# here follows sh/look-at-node.sh
