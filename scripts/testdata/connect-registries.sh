#!/bin/bash
# windlass: connect-registries
SERVERS='192.168.0.10:5000 registry.example.com'
GONE='old.example.com'
DOCKER_GONE='old.example.com'
REGISTRY_HOSTS='192.168.0.20 registry.example.com'
WITH_CREDENTIALS='yes'

# here follows sh/lib-base.sh

# here follows sh/lib-hosts.sh

# here follows sh/lib-registries.sh

# here follows sh/connect-registries.sh
