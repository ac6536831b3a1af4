#!/bin/bash
# tiny.sh DIRECTORY FILES: a guest with sshd and busybox as its init, which boots in seconds even where
# it is emulated.
set -euo pipefail
cd "$1"
files=$2
mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' --include=openssh-server,iproute2,iputils-ping,sudo,procps,busybox-static,jq \
	bookworm root.tar
mkdir root
tar --extract --file root.tar --directory root
ln -sf /bin/busybox root/usr/sbin/init
rm -f root/etc/ssh/ssh_host_*
install -m 755 "$files/boot" "$files/address" root/usr/local/sbin/
install -m 644 "$files/inittab" root/etc/inittab
mkdir -p root/etc/acpi/PWRF
printf '#!/bin/sh\nexec /bin/busybox poweroff\n' >root/etc/acpi/PWRF/00000080
chmod 755 root/etc/acpi/PWRF/00000080
printf 'UseDNS no\nPasswordAuthentication yes\nPermitRootLogin prohibit-password\n' >root/etc/ssh/sshd_config.d/50-windlass.conf
chroot root useradd --create-home --shell /bin/bash debian
echo 'debian ALL=(ALL) NOPASSWD: ALL' >root/etc/sudoers.d/debian
chmod 440 root/etc/sudoers.d/debian
: >root/etc/windlass-guest
rm -rf root/var/cache/apt/* root/var/lib/apt/lists/*
truncate --size 900M disk.raw
mke2fs -q -t ext4 -m 0 -d root disk.raw
qemu-img convert -O qcow2 disk.raw disk.qcow2
rm -rf root root.tar disk.raw
