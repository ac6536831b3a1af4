#!/bin/bash
# windlass: install-registry
PORT='5000'
HTTPS='yes'
IMAGE_FILE='/var/lib/windlass/registry-image.tar'
IMAGE='docker.io/library/registry:2'
VOLUME='/registry'
IMAGES='/registry/images'
CA_DIR='/registry/ca'
CA_NAME='11112222-3333-4444-8555-666677778888'
CERTIFICATE_NAMES='DNS:registry.example.com,IP:10.0.0.41,IP:fd00::41'
VALID_DAYS='3650'
NO_PROXY_LIST=''
LOCK_FOR='600'

# here follows sh/lib-base.sh

# here follows sh/lib-cloud-init.sh

# here follows sh/lib-certificate.sh

# here follows sh/install-registry.sh
