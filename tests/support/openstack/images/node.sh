#!/bin/bash
# node.sh DIRECTORY FILES BASE NODE CONTAINERD KERNEL: the lab's node as an image for virtual machines.
# What the host does for the lab's containers, here the guest's own kernel, udev, systemd-networkd and
# cloud-init do.
set -euo pipefail
dir=$1 files=$2 base=$3 node=$4 containerd=$5 kernel=$6
cd "$dir"
mkdir upper work root
mount -t overlay overlay -o "lowerdir=$node:$base,upperdir=upper,workdir=work" root

cd root
rm -rf usr/bin/cloud-init usr/sbin/mount.nfs* usr/local/sbin/lab-* etc/systemd/system/lab-* etc/systemd/system/*.wants/lab-* \
	etc/systemd/system/ssh.service.d/host-keys.conf etc/systemd/system/containerd.service.d
# Masked in the lab, where the host does it.
find etc/systemd/system -maxdepth 1 -lname /dev/null -delete
cp /etc/resolv.conf etc/resolv.conf
printf '#!/bin/sh\nexit 101\n' >usr/sbin/policy-rc.d
chmod 755 usr/sbin/policy-rc.d
mount -t proc proc proc
mount -t tmpfs tmpfs tmp
apt=(chroot . env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o Dpkg::Options::=--force-unsafe-io)
timeout 300 "${apt[@]}" update
timeout 600 "${apt[@]}" install --no-install-recommends cloud-init udev nfs-kernel-server nfs-common
umount tmp proc
rm -rf usr/sbin/policy-rc.d var/cache/apt/* var/lib/apt/lists/*
# The gateway of net0 refuses lookups at once. Without the file kubelet starts no pods.
echo 'nameserver 10.88.0.1' >etc/resolv.conf

mkdir -p usr/lib/modules
cp -a "$kernel"/modules/. usr/lib/modules/
cp -a "$kernel"/boot/. boot/
cp "$files/cloud.cfg" etc/cloud/cloud.cfg.d/90-windlass.cfg
cp "$files/modules.conf" etc/modules-load.d/windlass.conf
cp -r "$files/patches" etc/kubeadm-patches # kubeadm-emulated.yaml of the sample package names it
: >etc/windlass-guest
echo 'LABEL=root / ext4 defaults 0 1' >etc/fstab
systemctl --root . --quiet enable systemd-networkd
# The storage server's step starts what serves; on other guests it would only be waited for.
systemctl --root . --quiet disable nfs-server nfs-blkmap rpcbind.service rpcbind.socket
# Nobody sits at the console, and an emulated guest has better things to do.
systemctl --root . --quiet mask serial-getty@ttyS0.service getty@tty1.service systemd-networkd-wait-online.service \
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
	sys-kernel-debug.mount sys-kernel-tracing.mount
mkdir -p var/lib/containerd
mount --bind "$containerd" var/lib/containerd
cd ..

truncate --size 11G disk.raw
mke2fs -q -t ext4 -m 0 -L root -E lazy_itable_init=1 -d root disk.raw
umount root/var/lib/containerd root
qemu-img convert -O qcow2 disk.raw disk.qcow2
rm -rf upper work root disk.raw
