#!/bin/bash
# kernel.sh DIRECTORY FILES: Debian's kernel for clouds, its modules, and an initial RAM disk that finds
# the root file system. Nova boots guests with it directly.
set -euo pipefail
cd "$1"
files=$2
package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')
timeout 300 apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User=root download "$package"
dpkg --extract "$package"*.deb extracted
version=$(ls extracted/lib/modules)
depmod --basedir extracted "$version"
cp "extracted/boot/vmlinuz-$version" vmlinuz
mkdir boot
cp "extracted/boot/config-$version" boot/ # kubeadm looks into it
mkdir -p ramdisk/{bin,proc,sys,dev,root,modules}
cp "$(command -v busybox)" ramdisk/bin/busybox
for module in virtio_pci virtio_blk virtio_net virtio_scsi sr_mod isofs ext4 button evdev virtio_rng; do
	# Some are built in.
	modprobe --dirname "$PWD/extracted" --set-version "$version" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
	cp "$file" ramdisk/modules/
	basename "$file" >>ramdisk/modules/order
done
install -m 755 "$files/init" ramdisk/init
(cd ramdisk && find . | cpio --create --format newc --quiet | gzip -1) >initrd.gz
mv extracted/lib/modules .
rm -rf extracted ramdisk ./*.deb
