#!/bin/bash
# windlass: run-playbook
ROOT='/opt/kubespray'
DIRECTORY='/srv/inventories/windlass-7f3c'
PLAYBOOK='remove-node'
LIMIT='worker-5e6f7a8b'
VARIABLES='node=worker-5e6f7a8b skip_confirmation=yes'
OWNER='operation 4711'

# here follows sh/lib-base.sh

# here follows sh/lib-ansible.sh

# here follows sh/lib-play.sh

# here follows sh/run-playbook.sh
