#!/bin/bash
# windlass: run-exposure-script
SERVICES='default,web,30080,30443'
ADD='True'

# here follows sh/lib-base.sh

# here follows sh/run-exposure-script.sh
