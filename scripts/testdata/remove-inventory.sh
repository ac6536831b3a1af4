#!/bin/bash
# windlass: remove-inventory
DIRECTORY='/srv/inventories/windlass-7f3c'

# here follows sh/lib-base.sh

# here follows sh/lib-ansible.sh

# here follows sh/remove-inventory.sh
