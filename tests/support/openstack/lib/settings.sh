# Where things are and which addresses are used. Sourced by openstack.sh and inside.sh.
# shellcheck shell=bash disable=SC2034
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PYTHONWARNINGS=ignore
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${PATH:-}
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV

state=${WINDLASS_OPENSTACK_DIR:-/var/lib/windlass-openstack}
images=$state/images # what takes long to build; "down" keeps it
run=$state/run
log=$state/log
etc=$state/etc
var=$state/var
secrets=$state/secrets
shims=$state/shims

# What guests run on: kvm where the machine can, else QEMU's emulator.
virt=${WINDLASS_OPENSTACK_VIRT:-qemu}

# All is in 10.88.0.0/16, and the host reaches it through one veth pair.
host_address=10.88.255.1
api_address=10.88.255.2
guest_range=10.88.0.0/16
host_interface=wlos-host

region=RegionOne
# The name of this compute host, in Nova and Neutron.
compute_host=compute1
