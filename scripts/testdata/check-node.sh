#!/bin/bash
# windlass: check-node
NODE_NAME='cp-1a2b3c4d'
ADDRESS='10.0.0.11'
PORTS='6443 2379'
PACKAGES='kubeadm haproxy'
REPOSITORY='no'
MIN_CPUS='2'
MIN_MEMORY_MIB='1700'
MIN_DISK_MIB='4096'
IGNORE='NumCPU,Mem'

# here follows sh/lib-base.sh

# here follows sh/check-node.sh
