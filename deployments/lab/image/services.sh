#!/bin/sh
# Runs in a mount and pid namespace of its own: installs $PACKAGES into $UPPER, a layer over $LOWER. Nothing of what is
# installed starts by itself on a machine; docker.socket starts Docker when it is asked for something.
set -eu
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$UPPER,workdir=$WORK/work" "$WORK/root"
cd "$WORK/root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
# What the installation needs and the layer must not have.
mount --bind "$WORK/lists" var/lib/apt/lists
mount --bind "$WORK/cache" var/cache/apt
for f in resolv.conf hosts; do
	[ -e "etc/$f" ] || : >"etc/$f"
	[ ! -e "/etc/$f" ] || mount --bind "/etc/$f" "etc/$f"
done
exec chroot . /bin/sh -eu -c '
	# Before all others, so that it has the number that the layer of the node gives it.
	useradd -m -s /bin/bash debian
	# The client of a kernel that may have none must not hide that of the node.
	for f in mount.nfs mount.nfs4; do dpkg-divert --quiet --local --rename --divert "/sbin/$f.kernel" --add "/sbin/$f"; done
	printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
	apt="apt-get -q -y -o Acquire::Retries=3 -o Acquire::http::Timeout=60 -o Dpkg::Options::=--force-unsafe-io"
	$apt update
	$apt install --no-install-recommends $PACKAGES
	rm /usr/sbin/policy-rc.d
	export SYSTEMD_OFFLINE=1
	for u in docker.service docker-registry nfs-ganesha nfs-ganesha-lock rpcbind.service rpcbind.socket nfs-client.target nfs-blkmap rpc-statd; do
		systemctl -q disable "$u" 2>/dev/null || true
	done
	# The kernel has neither.
	systemctl -q mask proc-fs-nfsd.mount run-rpc_pipefs.mount 2>/dev/null || true
'
