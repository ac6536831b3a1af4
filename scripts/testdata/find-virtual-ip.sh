#!/bin/bash
# windlass: find-virtual-ip
VIRTUAL_IP='10.0.0.10'
PORT='16443'
TIMEOUT='5'

# here follows sh/lib-base.sh

# here follows sh/find-virtual-ip.sh
