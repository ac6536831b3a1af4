#!/bin/bash
# windlass: look-for-remains

# here follows sh/lib-base.sh

# here follows sh/look-for-remains.sh
