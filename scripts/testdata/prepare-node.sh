#!/bin/bash
# windlass: prepare-node
NODE_NAME='cp-1a2b3c4d'
HOSTS='10.0.0.11 cp-1a2b3c4d,10.0.0.21 worker-5e6f7a8b'
NO_PROXY_LIST='localhost,10.0.0.0/24'
PACKAGES='containerd kubeadm kubelet kubectl'
HOLD='kubeadm kubelet kubectl'
VERSION='1.34.4-1.1'
SOURCE='https://packages.example.com/core:/stable:/v1.34/deb/ /'
TRUSTED='no'
LOCK_FOR='600'
IPV6='yes'

# here follows sh/lib-base.sh

# here follows sh/lib-hosts.sh

# here follows sh/lib-apt.sh

# here follows sh/prepare-node.sh
