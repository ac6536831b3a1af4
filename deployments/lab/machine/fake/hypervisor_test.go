package fake_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
)

// lab is a hypervisor with machines, and the logins to them.
type lab struct {
	t          *testing.T
	options    fake.Options
	hypervisor *fake.Hypervisor
	dialer     *remote.Dialer
	key        string
	line       string
	address    map[string]string
}

func newLab(t *testing.T, o fake.Options) *lab {
	l := &lab{t: t, options: o, hypervisor: fake.New(o), dialer: remotetest.Dialer(), address: map[string]string{}}
	l.key, l.line = remotetest.Key(t)
	require.NoError(t, l.hypervisor.EnsureNetwork(t.Context(), machine.Network{ID: "net0"}))
	t.Cleanup(func() { require.NoError(t, l.hypervisor.Down(context.Background())) })
	return l
}

func (l *lab) boot(id string, allowed ...string) {
	l.t.Helper()
	l.address[id] = nextAddress()
	require.NoError(l.t, l.hypervisor.Create(l.t.Context(), machine.Machine{
		ID: id, Name: id, AuthorizedKeys: []string{l.line},
		Ports: []machine.Port{{
			ID: id + "-port", NetworkID: "net0", FixedIPs: []string{l.address[id]}, PrefixLen: 24,
			AllowedAddresses: allowed,
		}},
	}))
}

// restart simulates a new process of the lab.
func (l *lab) restart() {
	require.NoError(l.t, l.hypervisor.Close())
	l.hypervisor = fake.New(l.options)
	require.NoError(l.t, l.hypervisor.Recover(l.t.Context()))
}

func (l *lab) target(id, address string) remote.Target {
	return remote.Target{
		Node: id, Address: address + ":2222", User: machine.User, PrivateKey: l.key, ServerID: id,
	}
}

func (l *lab) dial(id string) *remote.Host {
	l.t.Helper()
	host, err := l.dialer.Dial(l.t.Context(), l.target(id, l.address[id]))
	require.NoError(l.t, err)
	l.t.Cleanup(func() { _ = host.Close() })
	return host
}

func TestDriver_takesAMachineThroughItsStates(t *testing.T) {
	l := newLab(t, fake.Options{})
	ctx, d := t.Context(), l.hypervisor
	state := func() machine.State {
		s, err := d.State(ctx, "m1")
		require.NoError(t, err)
		return s
	}
	require.Equal(t, machine.Absent, state())
	require.Equal(t, lcm.KindNotFound, lcm.KindOf(d.Start(ctx, "m1")))
	l.boot("m1")
	require.Equal(t, machine.Running, state())
	host := l.dial("m1")
	file := remote.File{Path: "/etc/motd", Mode: 0o644, Content: []byte("hello"), Sudo: true}
	require.NoError(t, host.Put(ctx, file))

	require.NoError(t, d.Kill(ctx, "m1"))
	require.Equal(t, machine.Stopped, state())
	_, err := l.dialer.Dial(ctx, l.target("m1", l.address["m1"]))
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "the address refuses")
	require.Equal(t, lcm.KindConflict, lcm.KindOf(d.Freeze(ctx, "m1")))

	require.NoError(t, d.Start(ctx, "m1"))
	content, err := l.dial("m1").Get(ctx, "/etc/motd", 100)
	require.NoError(t, err, "the same host key after a reboot")
	require.Equal(t, "hello", string(content), "the disk is kept")
	console, err := d.Console(ctx, "m1")
	require.NoError(t, err)
	require.Contains(t, console, "m1 login:")

	require.NoError(t, d.Delete(ctx, "m1"))
	require.NoError(t, d.Delete(ctx, "m1"))
	require.Equal(t, machine.Absent, state())
}

func TestFreeze_acceptsButNeverAnswers(t *testing.T) {
	l := newLab(t, fake.Options{})
	l.boot("m1")
	host := l.dial("m1")
	require.NoError(t, l.hypervisor.Freeze(t.Context(), "m1"))
	l.dialer.ConnectTimeout = 300 * time.Millisecond
	_, err := l.dialer.Dial(t.Context(), l.target("m1", l.address["m1"]))
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))
	_, err = host.Get(t.Context(), "/x", 1)
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "the open connection is found dead")

	require.NoError(t, l.hypervisor.Thaw(t.Context(), "m1"))
	l.dialer.ConnectTimeout = 0
	_, err = host.Get(t.Context(), "/x", 1)
	require.Equal(t, lcm.KindNotFound, lcm.KindOf(err), "it answers again")
}

func TestBindFloatingIP_isAnotherWayToTheMachine(t *testing.T) {
	l := newLab(t, fake.Options{})
	l.boot("m1")
	public := nextAddress()
	bind := machine.FloatingIP{ID: "fip", Address: public, FixedIP: l.address["m1"], NetworkID: "net0"}
	require.NoError(t, l.hypervisor.BindFloatingIP(t.Context(), bind))
	require.NoError(t, l.hypervisor.BindFloatingIP(t.Context(), bind))
	host, err := l.dialer.Dial(t.Context(), l.target("m1", public))
	require.NoError(t, err, "the same machine: its host key is the pinned one")
	require.NoError(t, host.Close())
	require.NoError(t, l.hypervisor.Reboot(t.Context(), "m1", true))
	host, err = l.dialer.Dial(t.Context(), l.target("m1", public))
	require.NoError(t, err, "also after a reboot")
	require.NoError(t, host.Close())

	require.NoError(t, l.hypervisor.UnbindFloatingIP(t.Context(), "fip"))
	_, err = l.dialer.Dial(t.Context(), l.target("m1", public))
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))
}

func TestVolumes_areAttachedToOneMachine(t *testing.T) {
	l := newLab(t, fake.Options{})
	l.boot("m1")
	l.boot("m2")
	ctx, d := t.Context(), l.hypervisor
	for range 2 {
		device, err := d.AttachVolume(ctx, "m1", machine.Volume{ID: "v1", SizeGB: 1})
		require.NoError(t, err)
		require.Equal(t, "/dev/vdb", device)
	}
	device, err := d.AttachVolume(ctx, "m1", machine.Volume{ID: "v2", SizeGB: 1})
	require.NoError(t, err)
	require.Equal(t, "/dev/vdc", device)
	_, err = d.AttachVolume(ctx, "m2", machine.Volume{ID: "v1", SizeGB: 1})
	require.Equal(t, lcm.KindConflict, lcm.KindOf(err))
	require.Equal(t, lcm.KindConflict, lcm.KindOf(d.DeleteVolume(ctx, "v1")))
	require.NoError(t, d.DetachVolume(ctx, "m1", "v1"))
	require.NoError(t, d.DeleteVolume(ctx, "v1"))
	require.NoError(t, d.Delete(ctx, "m1"))
	require.NoError(t, d.DeleteVolume(ctx, "v2"), "a machine that is deleted holds nothing")
}

func TestCreate_logsInWhomUserDataNames(t *testing.T) {
	l := newLab(t, fake.Options{})
	address := nextAddress()
	require.NoError(t, l.hypervisor.Create(t.Context(), machine.Machine{
		ID: "m1", Name: "m1", Ports: []machine.Port{{ID: "p", NetworkID: "net0", FixedIPs: []string{address}}},
		UserData: []byte("#cloud-config\npassword: for debian\nusers:\n- default\n- name: ubuntu\n  plain_text_passwd: for " +
			"ubuntu\n" +
			"chpasswd:\n  list: |\n    centos:for centos\n"),
	}))
	for user, password := range map[string]string{"debian": "for debian", "ubuntu": "for ubuntu", "centos": "for centos"} {
		target := remote.Target{Node: "m1", Address: address + ":2222", User: user, Password: password, ServerID: "m1"}
		host, err := l.dialer.Dial(t.Context(), target)
		require.NoError(t, err, user)
		require.NoError(t, host.Close())
		target.Password = "other"
		_, err = l.dialer.Dial(t.Context(), target)
		require.Equal(t, lcm.KindDenied, lcm.KindOf(err), user)
	}
}

func TestCreate_takesAddressesThatTheHostHasNoWayTo(t *testing.T) {
	hypervisor := newLab(t, fake.Options{}).hypervisor
	require.NoError(t, hypervisor.Create(t.Context(), machine.Machine{
		ID: "m1", Ports: []machine.Port{{NetworkID: "net0", FixedIPs: []string{"10.78.0.5"}, IPv6: []string{"fd78::5/64"}}},
	}))
	st, err := hypervisor.State(t.Context(), "m1")
	require.NoError(t, err)
	require.Equal(t, machine.Running, st)

	err = hypervisor.Create(t.Context(), machine.Machine{
		ID:    "m2",
		Ports: []machine.Port{{NetworkID: "net0", FixedIPs: []string{"nowhere"}}},
	})
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
}

func TestDriver_carriesSixtyMachinesInLittleMemory(t *testing.T) {
	l := newLab(t, fake.Options{})
	before := heap()
	for i := range 60 {
		l.boot(fmt.Sprintf("m%d", i))
	}
	var all sync.WaitGroup
	errs := make(chan error, 60)
	for i := range 60 {
		all.Go(func() { errs <- l.findInterface(fmt.Sprintf("m%d", i)) })
	}
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	// This includes both ends of 60 connections in this process.
	require.Less(t, heap()-before, int64(40<<20))
}

func (l *lab) findInterface(id string) error {
	host, err := l.dialer.Dial(l.t.Context(), l.target(id, l.address[id]))
	if err != nil {
		return err
	}
	l.t.Cleanup(func() { _ = host.Close() })
	_, err = host.Run(l.t.Context(), remote.Command{
		ID: "x", Sudo: true, Script: "#!/bin/bash\n# windlass: find-interface\nADDRESS='" + l.address[id] + "'\n",
	})
	return err
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
