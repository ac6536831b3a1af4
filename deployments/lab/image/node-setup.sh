#!/bin/sh
# Runs in the root file system of the node image, once, after the files of node/ are in place.
set -eu
export SYSTEMD_OFFLINE=1
useradd -m -s /bin/bash debian
rm -f /etc/ssh/ssh_host_* /etc/machine-id
touch /etc/machine-id
mkdir -p /etc/cni/net.d /var/lib/cloud
ln -sfn mount.nfs /usr/sbin/mount.nfs4
for u in e2scrub_reap getty@tty1 apt-daily.timer apt-daily-upgrade.timer \
	dpkg-db-backup.timer e2scrub_all.timer fstrim.timer; do
	systemctl -q disable "$u" 2>/dev/null || true
done
# The driver sets addresses; devices, time and modules are the host's.
for u in systemd-networkd systemd-resolved console-getty systemd-logind systemd-udevd systemd-udev-trigger \
	systemd-modules-load sys-kernel-debug.mount sys-kernel-tracing.mount systemd-binfmt systemd-timesyncd; do
	systemctl -q mask "$u" 2>/dev/null || true
done
systemctl -q enable lab-node-setup lab-volumes lab-first-boot-config lab-first-boot-final kubelet
