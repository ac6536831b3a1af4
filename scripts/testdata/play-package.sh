#!/bin/bash
# windlass: play-package
PLAYBOOK='Scripts/web.yaml'
PASSWORD='yes'

# here follows sh/lib-base.sh

# here follows sh/lib-play.sh

# here follows sh/play-package.sh
