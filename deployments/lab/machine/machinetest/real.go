package machinetest

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func (h *harness) logins(t *testing.T) {
	m := h.machine("logins")
	h.create(t, m)
	sh := h.shell(t, m)
	require.Equal(t, m.Name, sh.must("hostname"))
	require.Equal(t, "root", sh.must("sudo -n whoami"))
	require.Contains(t, sh.must("ip -4 -br addr show eth0"), address(m)+"/")
	require.Equal(t, m.Ports[0].MAC, sh.must("cat /sys/class/net/eth0/address"))
	require.Contains(t, sh.must("getent hosts "+m.Name), address(m))

	client, err := h.loginAs(t, address(m), machine.User, ssh.Password(password))
	require.NoError(t, err, "the admin password opens the login")
	_ = client.Close()
	_, err = h.loginAs(t, address(m), machine.User, ssh.Password("wrong"))
	require.Error(t, err)

	console, err := h.hypervisor.Console(t.Context(), m.ID)
	require.NoError(t, err)
	require.NotContains(t, console, password)
}

func (h *harness) userData(t *testing.T) {
	config := h.machine("config")
	config.AdminPass = ""
	config.UserData = []byte(`#cloud-config
hostname: renamed
password: from-user-data
chpasswd: {expire: false}
ssh_pwauth: true
users: [default, {name: tech, sudo: "ALL=(ALL) NOPASSWD:ALL", plain_text_passwd: it's mine}]
write_files: [{path: /opt/a/b, content: "line\n", permissions: "0600", owner: debian}]
runcmd:
  - echo run >>/opt/ran
  - [sh, -c, "echo \"$0\" >>/opt/ran", "two words"]
`)
	script := h.machine("script")
	script.UserData = []byte("#!/bin/bash\nset -e\n[[ $UID = 0 ]] && echo ran >>/opt/ran\n")
	h.create(t, config)
	h.create(t, script)

	client, err := h.loginAs(t, address(config), machine.User, ssh.Password("from-user-data"))
	require.NoError(t, err)
	sh := shell{t: t, client: client}
	sh.must("cloud-init status --wait")
	require.Equal(t, "renamed", sh.must("hostname"))
	require.Equal(t, "debian 600 line", sh.must("stat -c '%U %a' /opt/a/b | tr '\\n' ' '; cat /opt/a/b"))
	require.Equal(t, "run\ntwo words", sh.must("cat /opt/ran"))
	other, err := h.loginAs(t, address(config), "tech", ssh.Password("it's mine"))
	require.NoError(t, err)
	require.Equal(t, "root", shell{t: t, client: other}.must("sudo -n whoami"))

	sh = h.shell(t, script)
	sh.must("cloud-init status --wait")
	require.Equal(t, "ran", sh.must("cat /opt/ran"))
	require.NoError(t, h.hypervisor.Reboot(t.Context(), script.ID, true))
	sh = h.shell(t, script)
	sh.must("cloud-init status --wait")
	require.Equal(t, "ran", sh.must("cat /opt/ran"), "user data runs at the first boot only")
}

func (h *harness) freeze(t *testing.T) {
	ctx, m := t.Context(), h.machine("cold")
	h.create(t, m)
	h.awaitSSH(t, m)
	require.NoError(t, h.hypervisor.Freeze(ctx, m.ID))
	h.requireState(t, m.ID, machine.Frozen)
	h.requireNoSSH(t, m)
	require.NoError(t, h.hypervisor.Thaw(ctx, m.ID))
	h.requireState(t, m.ID, machine.Running)
	h.awaitSSH(t, m)

	require.NoError(t, h.hypervisor.Freeze(ctx, m.ID))
	require.NoError(t, h.hypervisor.Kill(ctx, m.ID), "a frozen machine can be killed")
	h.requireState(t, m.ID, machine.Stopped)
	require.True(t, lcm.Is(h.hypervisor.Freeze(ctx, m.ID), lcm.KindConflict))
}

func (h *harness) cut(t *testing.T) {
	ctx, m := t.Context(), h.machine("cut")
	h.create(t, m)
	sh := h.shell(t, m)
	sh.must("setsid sh -c 'while [ ! -e /tmp/end ]; do sleep 0.1; done; touch /tmp/ended' >/dev/null 2>&1 </dev/null &")
	session, err := sh.client.NewSession()
	require.NoError(t, err)
	require.NoError(t, session.Start("sleep 600"))
	count, err := h.hypervisor.Cut(ctx, m.ID)
	require.NoError(t, err)
	require.Positive(t, count)
	require.Error(t, session.Wait(), "the connection is gone")

	again := h.shell(t, m)
	again.must("touch /tmp/end")
	eventually(t, "the command that was left behind goes on", func() bool {
		_, err := again.try("test -e /tmp/ended")
		return err == nil
	})
	again.client.Close()
	require.NoError(t, h.hypervisor.Kill(ctx, m.ID))
	_, err = h.hypervisor.Cut(ctx, m.ID)
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
}

func (h *harness) selfReboot(t *testing.T) {
	m := h.machine("again")
	h.create(t, m)
	sh := h.shell(t, m)
	sh.must("sudo touch /run/this-boot /var/this-disk; sync")
	_, _ = sh.try("sudo systemctl reboot")
	eventually(t, "the machine is up again", func() bool {
		client, err := h.dial(t.Context(), address(m), machine.User, ssh.PublicKeys(h.key))
		if err != nil {
			return false
		}
		defer client.Close()
		_, err = shell{t: t, client: client}.try("test ! -e /run/this-boot -a -e /var/this-disk")
		return err == nil
	})
	_, _ = h.shell(t, m).try("sudo systemctl poweroff")
	eventually(t, "a machine that powers itself off is stopped", func() bool {
		state, err := h.hypervisor.State(t.Context(), m.ID)
		return err == nil && state == machine.Stopped
	})
}

func (h *harness) volumes(t *testing.T) {
	ctx, first, second := t.Context(), h.machine("disk1"), h.machine("disk2")
	h.create(t, first)
	h.create(t, second)
	v := machine.Volume{ID: uuid.NewString(), SizeGB: 1}
	other := machine.Volume{ID: uuid.NewString(), SizeGB: 2}
	device, err := h.hypervisor.AttachVolume(ctx, first.ID, v)
	require.NoError(t, err)
	require.Equal(t, "/dev/vdb", device)
	device, err = h.hypervisor.AttachVolume(ctx, first.ID, other)
	require.NoError(t, err)
	require.Equal(t, "/dev/vdc", device)

	sh := h.shell(t, first)
	require.Equal(t, "1073741824", sh.must("sudo blockdev --getsize64 /dev/vdb"))
	require.Equal(t, "/dev/vdb", sh.must("readlink -f /dev/disk/by-id/virtio-"+v.ID[:20]))
	require.Equal(t, v.ID[:20], sh.must("lsblk -ndo SERIAL /dev/vdb"))
	sh.must("sudo mkfs.ext4 -q /dev/vdb && sudo mount /dev/vdb /mnt && echo kept | sudo tee /mnt/file && sudo umount /mnt")
	require.NoError(t, h.hypervisor.Reboot(ctx, first.ID, true))
	sh = h.shell(t, first)
	require.Contains(t, sh.must("sudo mount /dev/vdb /mnt && cat /mnt/file && sudo umount /mnt"), "kept",
		"volumes stay over a reboot")

	_, err = h.hypervisor.AttachVolume(ctx, second.ID, v)
	require.True(t, lcm.Is(err, lcm.KindConflict), "one volume, one machine: %v", err)
	require.True(t, lcm.Is(h.hypervisor.DeleteVolume(ctx, v.ID), lcm.KindConflict))
	sh.must("sudo mount /dev/vdb /mnt")
	require.NoError(t, h.hypervisor.DetachVolume(ctx, first.ID, v.ID))
	require.NoError(t, h.hypervisor.DetachVolume(ctx, first.ID, v.ID))
	sh.fails("test -e /dev/vdb", "a detached device is gone")
	// A process that still uses the mount keeps the volume from the next machine.
	sh.must("sudo sh -c '(sleep 1; umount /mnt) >/dev/null 2>&1 </dev/null &'")

	device, err = h.hypervisor.AttachVolume(ctx, second.ID, v)
	require.NoError(t, err)
	sh = h.shell(t, second)
	require.Contains(t, sh.must("sudo mount "+device+" /mnt && cat /mnt/file && sudo umount /mnt"), "kept",
		"data move with the volume")
	require.NoError(t, h.hypervisor.Delete(ctx, second.ID))
	require.NoError(t, h.hypervisor.DeleteVolume(ctx, v.ID), "a deleted machine lets go of its volumes")
	require.NoError(t, h.hypervisor.DetachVolume(ctx, first.ID, other.ID))
	require.NoError(t, h.hypervisor.DeleteVolume(ctx, other.ID))
	require.NoError(t, h.hypervisor.DeleteVolume(ctx, other.ID))
}

func (h *harness) antiSpoof(t *testing.T) {
	ctx, owner, peer := t.Context(), h.machine("owner"), h.machine("peer")
	h.create(t, owner)
	h.create(t, peer)
	vip := h.machine("nobody").Ports[0].FixedIPs[0]
	from, to := h.shell(t, peer), h.shell(t, owner)
	from.must("ping -c1 -W3 " + address(owner))
	to.must("sudo ip addr add " + vip + "/24 dev eth0")
	ping := "ping -c2 -i0.2 -W1 " + vip
	from.fails(ping, "an address without its pair does not work")
	to.must("sudo ip link set eth0 down; sudo ip link set eth0 address fa:16:3e:ff:ff:01; sudo ip link set eth0 up; " +
		"ping -c1 -W1 " + address(peer) + " && exit 1; sudo ip link set eth0 down; sudo ip link set eth0 address " +
		owner.Ports[0].MAC + "; sudo ip link set eth0 up")

	port := owner.Ports[0]
	port.AllowedAddresses = []string{vip}
	require.NoError(t, h.hypervisor.UpdatePort(ctx, owner.ID, port))
	from.must("sudo ip neigh flush dev eth0; " + ping)
	require.NoError(t, h.hypervisor.Reboot(ctx, owner.ID, true))
	to = h.shell(t, owner)
	to.must("sudo ip addr add " + vip + "/24 dev eth0")
	from.must(ping)

	port.AllowedAddresses = nil
	require.NoError(t, h.hypervisor.UpdatePort(ctx, owner.ID, port))
	from.fails("sudo ip neigh flush dev eth0; "+ping, "taking the pair away works at once")
	from.must("ping -c1 -W3 " + address(owner))

	port.AllowedAddresses = []string{h.subject.CIDR.String(), vip}
	require.NoError(t, h.hypervisor.UpdatePort(ctx, owner.ID, port), "a CIDR is a pair too, and may cover others")
	from.must("sudo ip neigh flush dev eth0; " + ping)
	port.ID = "no-such-port"
	require.True(t, lcm.Is(h.hypervisor.UpdatePort(ctx, owner.ID, port), lcm.KindNotFound))
}

func (h *harness) floatingIPs(t *testing.T) {
	ctx, target, peer := t.Context(), h.machine("target"), h.machine("caller")
	h.create(t, target)
	h.create(t, peer)
	h.awaitSSH(t, target)
	f := machine.FloatingIP{
		ID: uuid.NewString(), Address: h.subject.Floating.Addr().Next().String(), FixedIP: address(target),
		NetworkID: h.network.ID,
	}
	require.NoError(t, h.hypervisor.BindFloatingIP(ctx, f))
	require.NoError(t, h.hypervisor.BindFloatingIP(ctx, f))
	require.Equal(t, "target", shell{t: t, client: h.login(t, f.Address)}.must("hostname"), "from the host")
	caller := h.shell(t, peer)
	caller.must("timeout 3 bash -c '</dev/tcp/" + f.Address + "/22'")

	f.FixedIP = address(peer)
	require.NoError(t, h.hypervisor.BindFloatingIP(ctx, f))
	require.Equal(t, "caller", shell{t: t, client: h.login(t, f.Address)}.must("hostname"), "it can move")
	require.NoError(t, h.hypervisor.UnbindFloatingIP(ctx, f.ID))
	require.NoError(t, h.hypervisor.UnbindFloatingIP(ctx, f.ID))
	_, err := h.dial(ctx, f.Address, machine.User, ssh.PublicKeys(h.key))
	require.Error(t, err)
}
