#!/bin/bash
# windlass: remove-file
FILE='/run/windlass-4711.token'

# here follows sh/lib-base.sh

# here follows sh/remove-file.sh
