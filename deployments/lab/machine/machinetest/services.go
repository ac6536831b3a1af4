package machinetest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
)

// servicesImage has an NFS server, a container engine and a registry.
const servicesImage = "debian-12-services"

// storage is an NFS server with a volume.
type storage struct {
	machine machine.Machine
	volume  machine.Volume
}

// nfs sets up a storage server: a volume with a file system, mounted by UUID and exported over NFS. It checks that the
// files on the volume outlive the server.
func (h *harness) nfs(t *testing.T) {
	s := storage{machine: h.machine("storage1"), volume: machine.Volume{ID: uuid.NewString(), SizeGB: 1}}
	s.machine.Image = servicesImage
	node := h.machine("node1")
	h.create(t, s.machine)
	h.create(t, node)
	_, err := h.hypervisor.AttachVolume(t.Context(), s.machine.ID, s.volume)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.hypervisor.DeleteVolume(context.WithoutCancel(t.Context()), s.volume.ID)) })
	sh := h.shell(t, s.machine)
	require.Equal(t, s.volume.ID[:20], sh.script(`lsblk -ndo SERIAL /dev/vdb`))
	h.export(t, s, `mkfs.ext4 -q "$device"`)

	client := h.shell(t, node)
	// Like kubelet, a service mounts it, and the service ends before the mount does.
	client.script(`systemd-run --quiet --wait --collect mount -t nfs ` + address(s.machine) + `:/volume/pv1 /mnt
		findmnt -no FSTYPE,SOURCE /mnt`)
	client.script(fileOperations)
	require.Equal(t, "kept", client.script(`echo kept >/mnt/file; cat /mnt/file`))
	require.Equal(t, "kept", h.shell(t, s.machine).script(`cat /volume/pv1/file`))

	// The server decides which user a client is. The owners and modes that the client sees do not show this.
	client.script(`mkdir -p /srv/squashed
		mount -t nfs ` + address(s.machine) + `:/volume/pv2 /srv/squashed
		runuser -u debian -- sh -c 'echo mine >/srv/squashed/file && test "$(stat -c %U /srv/squashed/file)" = nobody'
		umount /srv/squashed`)

	// A hard mount waits for its server. After its boot, the server mounts its volume and exports it again.
	require.NoError(t, h.hypervisor.Reboot(t.Context(), s.machine.ID, false))
	require.Equal(t, "kept", client.script(`cat /mnt/file; umount /mnt`))

	require.NoError(t, h.hypervisor.Delete(t.Context(), s.machine.ID))
	s.machine = h.machine("storage2")
	s.machine.Image = servicesImage
	h.create(t, s.machine)
	device, err := h.hypervisor.AttachVolume(t.Context(), s.machine.ID, s.volume)
	require.NoError(t, err)
	require.Equal(t, "/dev/vdb", device)
	h.export(t, s, `test "$(blkid -p -o value -s TYPE "$device")" = ext4`)
	require.Equal(t, "kept", client.script(`mount -t nfs4 -o nolock,hard `+address(s.machine)+`:/volume/pv1 /mnt; cat /mnt/file; umount /mnt`),
		"data outlive the server")

	client.fails(`sudo mount -t nfs `+address(s.machine)+`:/volume/absent /mnt`, "there is no such export")
	require.NoError(t, h.hypervisor.Delete(t.Context(), s.machine.ID))
}

// export makes a machine mount its volume and export it.
func (h *harness) export(t *testing.T, s storage, prepare string) {
	t.Helper()
	h.shell(t, s.machine).script(`
		device=$(readlink -f /dev/disk/by-id/virtio-` + s.volume.ID[:20] + `)
		` + prepare + `
		mkdir -p /volume
		mount -t ext4 "$device" /volume
		echo "UUID=$(blkid -p -o value -s UUID "$device") /volume ext4 defaults,nofail 0 2" >>/etc/fstab
		systemctl daemon-reload
		mountpoint -q /volume
		mkdir -p /volume/pv1
		chmod 777 /volume/pv1
		mkdir -p /volume/pv2
		chown nobody:nogroup /volume/pv2
		cat >/etc/ganesha/ganesha.conf <<-END
			NFSv4 { Graceless = true; }
			EXPORT {
				Export_Id = 1; Path = /volume/pv1; Pseudo = /volume/pv1; Access_Type = RW; Squash = No_Root_Squash; SecType = sys;
				FSAL { Name = VFS; }
			}
			EXPORT {
				Export_Id = 2; Path = /volume/pv2; Pseudo = /volume/pv2; Access_Type = RW; Squash = All_Squash; SecType = sys;
				Anonymous_Uid = 65534; Anonymous_Gid = 65534; FSAL { Name = VFS; }
			}
		END
		systemctl enable -q --now nfs-ganesha
		for i in $(seq 300); do
			if [ -n "$(ss -Hltn 'sport = :2049')" ]; then exit; fi
			sleep 0.2
		done
		tail -n 50 /var/log/ganesha/ganesha.log
		exit 1`)
}

// fileOperations are the operations of ordinary programs on files of a mounted export.
const fileOperations = `
	cd /mnt
	mkdir -m 750 dir && test "$(stat -c %a dir)" = 750
	printf one >dir/a && printf two >>dir/a && test "$(cat dir/a)" = onetwo
	mv dir/a dir/b && test ! -e dir/a && test "$(cat dir/b)" = onetwo
	truncate -s 3 dir/b && test "$(cat dir/b)" = one && truncate -s 5 dir/b && test "$(stat -c %s dir/b)" = 5
	chmod 600 dir/b && chown 1000:1000 dir/b && test "$(stat -c '%a %u %g' dir/b)" = '600 1000 1000'
	touch -d '2001-02-03 04:05:06 UTC' dir/b && test "$(stat -c %Y dir/b)" = 981173106
	ln dir/b dir/hard && test "$(stat -c %h dir/b)" = 2 && rm dir/b && test "$(head -c 3 dir/hard)" = one
	ln -s hard dir/soft && test "$(readlink dir/soft)" = hard && test "$(head -c 3 dir/soft)" = one
	mkfifo dir/fifo && test -p dir/fifo
	test "$(ls dir | tr '\n' ' ')" = 'fifo hard soft '
	for i in $(seq 700); do : >"dir/many-$i"; done && test "$(ls dir | wc -l)" = 703 && rm dir/many-*
	exec 5<>dir/open && echo unnamed >&5 && rm dir/open && test ! -e dir/open && test "$(cat /proc/self/fd/5)" = unnamed && exec 5>&-
	if rmdir dir 2>/dev/null; then exit 1; fi
	test "$(ls -A dir | tr '\n' ' ')" = 'fifo hard soft '
	head -c 20000000 /dev/urandom >/tmp/random && cp /tmp/random dir/copy && sync dir/copy
	cmp /tmp/random dir/copy && test "$(stat -f -c %b .)" -gt 0
	runuser -u debian -- sh -c 'touch dir/mine 2>/dev/null' && exit 1
	mkdir -m 1777 dir/tmp && runuser -u debian -- sh -c 'echo mine >dir/tmp/mine' 2>/dev/null && exit 1
	chmod 755 dir && runuser -u debian -- sh -c 'echo mine >dir/tmp/mine' && test "$(stat -c %U dir/tmp/mine)" = debian
	rm -r dir && test ! -e dir`

// registries runs a registry as Debian's service, and another in a container.
func (h *harness) registries(t *testing.T) {
	m, node := h.machine("registry1"), h.machine("node1")
	m.Image = servicesImage
	h.create(t, m)
	h.create(t, node)
	h.shell(t, m).script(`
		htpasswd -Bbn user secret >/etc/docker/registry/htpasswd
		cat >/etc/docker/registry/config.yml <<-END
			version: 0.1
			storage: {filesystem: {rootdirectory: /var/lib/docker-registry}}
			http: {addr: ":5000"}
			auth: {htpasswd: {realm: lab, path: /etc/docker/registry/htpasswd}}
		END
		systemctl start docker-registry
		dir=$(mktemp -d)
		cp --parents $(ldd /usr/bin/docker-registry | grep -o '/[^ ]*') /usr/bin/docker-registry "$dir"
		tar -C "$dir" -c . | docker import -c 'ENTRYPOINT ["/usr/bin/docker-registry"]' - lab.local/registry:2 >/dev/null
		printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: /var/lib/registry}}\nhttp: {addr: ":5000"}\n' >/srv/config.yml
		docker run -d --restart=always --name private_registry -p 5001:5000 -v /srv:/srv:ro lab.local/registry:2 serve /srv/config.yml >/dev/null
		systemctl enable -q docker`)
	sh := h.shell(t, node)
	status := func(port, args string) func() bool {
		return func() bool {
			out, err := sh.try("curl -s -o /dev/null -w '%{http_code}' " + args + " http://" + address(m) + ":" + port + "/v2/")
			return err == nil && strings.HasSuffix(out, "200")
		}
	}
	eventually(t, "Debian's registry answers", status("5000", "-u user:secret"))
	require.False(t, status("5000", "-u user:wrong")())
	eventually(t, "a registry in a container answers", status("5001", ""))
	require.NoError(t, h.hypervisor.Reboot(t.Context(), m.ID, false))
	eventually(t, "it answers again after a reboot", status("5001", ""))
}
