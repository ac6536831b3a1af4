#!/bin/bash
# windlass: run-balancer-script
CONTROL_PLANES='10.0.0.11'
WORKERS='10.0.0.21,10.0.0.22'

# here follows sh/lib-base.sh

# here follows sh/run-balancer-script.sh
