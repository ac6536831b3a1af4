#!/bin/bash
# windlass: check-registries
SERVERS='192.168.0.10:5000 registry.example.com'
URLS='http://192.168.0.10:5000 https://registry.example.com'
MANIFESTS='- /v2/library/busybox/manifests/1.36'

# here follows sh/lib-base.sh

# here follows sh/lib-registries.sh

# here follows sh/check-registries.sh
