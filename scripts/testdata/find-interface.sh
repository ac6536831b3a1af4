#!/bin/bash
# windlass: find-interface
ADDRESS='10.0.0.11'

# here follows sh/lib-base.sh

# here follows sh/find-interface.sh
