#!/bin/bash
# windlass: check-ansible
ROOT='/opt/kubespray'
DIRECTORY='/srv/inventories/windlass-7f3c'
PASSWORDS='yes'
PLAYBOOKS='cluster facts'
RECOVER=''

# here follows sh/lib-base.sh

# here follows sh/lib-ansible.sh

# here follows sh/check-ansible.sh
