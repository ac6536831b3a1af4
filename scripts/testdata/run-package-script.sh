#!/bin/bash
# windlass: run-package-script
SCRIPT_PATH='Scripts/configure.sh'

# here follows sh/lib-base.sh

# here follows sh/run-package-script.sh
