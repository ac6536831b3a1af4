#!/bin/sh
# Runs in a mount, pid and network namespace of its own: imports $IMAGES/*.tar with the containerd of
# the root file system $LOWER into $STATE.
set -eu
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
cd "$WORK/root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mkdir -p var/lib/containerd
mount --bind "$STATE" var/lib/containerd
mount --bind "$IMAGES" mnt
exec chroot . /bin/sh -eu -c '
	containerd --log-level error >/run/containerd.log 2>&1 &
	daemon=$!
	until ctr version >/dev/null 2>&1; do
		kill -0 $daemon 2>/dev/null || { cat /run/containerd.log >&2; exit 1; }
		sleep 0.1
	done
	for tar in /mnt/*.tar; do ctr -n k8s.io images import "$tar" >/dev/null; done
	kill $daemon
	wait $daemon || true
'
