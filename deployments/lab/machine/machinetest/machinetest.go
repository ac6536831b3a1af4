// Package machinetest checks that a machine.Hypervisor keeps the lab's promises about Nova, Neutron and Cinder. It logs in
// to the machines over SSH, as every client does.
package machinetest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Subject is a hypervisor under test.
type Subject struct {
	// Open opens the hypervisor. A second call after Close finds the machines of the first hypervisor.
	Open func(t *testing.T) machine.Hypervisor
	// CIDR holds the addresses for the suite's machines; floating IPs come from Floating.
	CIDR, Floating netip.Prefix
	SSHPort        int
	// Shell means that machines run commands of a real system. Otherwise the suite checks only the machines' lifecycle.
	Shell bool
	// Services means that the image debian-12-services has an NFS server, Docker and a registry, and nodes mount NFS.
	Services bool
}

// Run checks the hypervisor. All checks share one hypervisor, because real machines take seconds to boot.
func Run(t *testing.T, s Subject) {
	t.Helper()
	h := newHarness(t, s)
	t.Cleanup(func() { require.NoError(t, h.hypervisor.Down(context.WithoutCancel(t.Context()))) })

	t.Run("machines live and die", h.lifecycle)
	t.Run("absent machines are told from stopped ones", h.absent)
	t.Run("machines outlive the hypervisor", h.recovers)
	t.Run("a machine gets other ports", h.replugs)
	if !s.Shell {
		return
	}
	t.Run("logins work by key and by password", h.logins)
	t.Run("user data runs once at the first boot", h.userData)
	t.Run("a frozen machine answers again when thawed", h.freeze)
	t.Run("commands outlive a connection that is cut", h.cut)
	t.Run("a machine reboots itself", h.selfReboot)
	t.Run("volumes keep their data", h.volumes)
	t.Run("ports send from their own addresses only", h.antiSpoof)
	t.Run("floating IPs lead to the fixed address", h.floatingIPs)
	t.Run("machines of IPv6 alone", h.ipv6)
	if !s.Services {
		return
	}
	t.Run("a volume is exported over NFS", h.nfs)
	t.Run("registries answer", h.registries)
}

type harness struct {
	root       *testing.T // the hypervisors' cleanups run at the end of the suite
	subject    Subject
	hypervisor machine.Hypervisor
	network    machine.Network
	key        ssh.Signer
	last       netip.Addr
}

const password = "conformance-9d1c"

func newHarness(t *testing.T, s Subject) *harness {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	key, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	gateway := s.CIDR.Masked().Addr().Next()
	h := &harness{
		root: t, subject: s, hypervisor: s.Open(t), key: key, last: gateway.Next(),
		network: machine.Network{ID: "net-" + uuid.NewString(), CIDR: s.CIDR, Gateway: gateway},
	}
	require.NoError(t, h.hypervisor.EnsureNetwork(t.Context(), h.network))
	require.NoError(t, h.hypervisor.EnsureNetwork(t.Context(), h.network), "the second time changes nothing")
	return h
}

// machine returns the definition of a machine on the suite's network.
func (h *harness) machine(name string) machine.Machine {
	h.last = h.last.Next()
	b := h.last.As4()
	return machine.Machine{
		ID: uuid.NewString(), Name: name, Image: "debian",
		Ports: []machine.Port{{
			ID: uuid.NewString(), NetworkID: h.network.ID, MAC: fmt.Sprintf("fa:16:3e:00:%02x:%02x", b[2], b[3]),
			FixedIPs: []string{h.last.String()}, PrefixLen: h.network.CIDR.Bits(), Gateway: h.network.Gateway.String(),
		}},
		AuthorizedKeys: []string{string(ssh.MarshalAuthorizedKey(h.key.PublicKey()))},
		AdminPass:      password,
	}
}

func (h *harness) create(t *testing.T, m machine.Machine) {
	t.Helper()
	require.NoError(t, h.hypervisor.Create(t.Context(), m))
	t.Cleanup(func() { require.NoError(t, h.hypervisor.Delete(context.WithoutCancel(t.Context()), m.ID)) })
}

func (h *harness) requireState(t *testing.T, id string, want machine.State) {
	t.Helper()
	have, err := h.hypervisor.State(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, want, have)
}

func (h *harness) lifecycle(t *testing.T) {
	ctx, m := t.Context(), h.machine("life")
	h.create(t, m)
	h.requireState(t, m.ID, machine.Running)
	h.awaitSSH(t, m)
	require.NoError(t, h.hypervisor.Create(ctx, m), "a machine that is there is left as it is")
	require.NoError(t, h.hypervisor.Start(ctx, m.ID), "one that runs needs no start")
	require.True(t, lcm.Is(h.hypervisor.DeleteNetwork(ctx, h.network.ID), lcm.KindConflict), "its network is in use")

	require.NoError(t, h.hypervisor.Stop(ctx, m.ID))
	h.requireState(t, m.ID, machine.Stopped)
	h.requireNoSSH(t, m)
	require.NoError(t, h.hypervisor.Stop(ctx, m.ID))
	require.NoError(t, h.hypervisor.Start(ctx, m.ID))
	h.awaitSSH(t, m)

	require.NoError(t, h.hypervisor.Kill(ctx, m.ID))
	h.requireState(t, m.ID, machine.Stopped)
	h.requireNoSSH(t, m)
	require.NoError(t, h.hypervisor.Start(ctx, m.ID))
	h.awaitSSH(t, m)

	require.NoError(t, h.hypervisor.Reboot(ctx, m.ID, true))
	h.requireState(t, m.ID, machine.Running)
	h.awaitSSH(t, m)

	require.NoError(t, h.hypervisor.Delete(ctx, m.ID))
	h.requireState(t, m.ID, machine.Absent)
	h.requireNoSSH(t, m)
	require.NoError(t, h.hypervisor.Delete(ctx, m.ID))
}

func (h *harness) absent(t *testing.T) {
	ctx := t.Context()
	h.requireState(t, "nobody", machine.Absent)
	for name, err := range map[string]error{
		"Start": h.hypervisor.Start(ctx, "nobody"), "Stop": h.hypervisor.Stop(ctx, "nobody"), "Kill": h.hypervisor.Kill(ctx, "nobody"),
		"Freeze": h.hypervisor.Freeze(ctx, "nobody"), "Reboot": h.hypervisor.Reboot(ctx, "nobody", false),
	} {
		require.True(t, lcm.Is(err, lcm.KindNotFound), "%s: %v", name, err)
	}
	require.NoError(t, h.hypervisor.Delete(ctx, "nobody"))
	orphan := h.machine("orphan")
	orphan.Ports[0].NetworkID = "no-such-network"
	require.True(t, lcm.Is(h.hypervisor.Create(ctx, orphan), lcm.KindNotFound))
	h.requireState(t, orphan.ID, machine.Absent)
	confused := h.machine("confused")
	confused.UserData = []byte("neither a script nor a cloud-config")
	require.True(t, lcm.Is(h.hypervisor.Create(ctx, confused), lcm.KindInvalid))
	h.requireState(t, confused.ID, machine.Absent)
	require.True(t, lcm.Is(h.hypervisor.Start(ctx, confused.ID), lcm.KindNotFound), "what could not be defined is not there")
}

// replugs moves a machine to another address, and checks that it answers there at once and after a boot.
func (h *harness) replugs(t *testing.T) {
	ctx, m := t.Context(), h.machine("moves")
	h.create(t, m)
	h.awaitSSH(t, m)
	moved := m
	moved.Ports = h.machine("elsewhere").Ports
	for range 2 { // the second time changes nothing
		require.NoError(t, h.hypervisor.Replug(ctx, m.ID, moved.Ports))
	}
	h.awaitSSH(t, moved)
	h.requireNoSSH(t, m)

	both := moved
	both.Ports = append(slices.Clone(moved.Ports), m.Ports...)
	require.NoError(t, h.hypervisor.Replug(ctx, m.ID, both.Ports))
	h.awaitSSH(t, moved)
	require.NoError(t, h.hypervisor.Replug(ctx, m.ID, moved.Ports))

	require.NoError(t, h.hypervisor.Reboot(ctx, m.ID, true))
	h.awaitSSH(t, moved)
	h.requireNoSSH(t, m)

	require.NoError(t, h.hypervisor.Kill(ctx, m.ID))
	require.NoError(t, h.hypervisor.Replug(ctx, m.ID, m.Ports))
	require.NoError(t, h.hypervisor.Start(ctx, m.ID))
	h.awaitSSH(t, m)
	h.requireNoSSH(t, moved)

	require.True(t, lcm.Is(h.hypervisor.Replug(ctx, "nobody", m.Ports), lcm.KindNotFound))
	lost := h.machine("lost").Ports
	lost[0].NetworkID = "no-such-network"
	require.True(t, lcm.Is(h.hypervisor.Replug(ctx, m.ID, lost), lcm.KindNotFound))
	h.awaitSSH(t, m)
}

func (h *harness) recovers(t *testing.T) {
	running, stopped := h.machine("stays"), h.machine("rests")
	h.create(t, running)
	h.create(t, stopped)
	h.awaitSSH(t, running)
	require.NoError(t, h.hypervisor.Kill(t.Context(), stopped.ID))

	require.NoError(t, h.hypervisor.Close())
	h.hypervisor = h.subject.Open(h.root)
	require.NoError(t, h.hypervisor.Recover(t.Context()))

	h.requireState(t, running.ID, machine.Running)
	h.requireState(t, stopped.ID, machine.Stopped)
	h.awaitSSH(t, running)
	require.NoError(t, h.hypervisor.Start(t.Context(), stopped.ID))
	h.awaitSSH(t, stopped)
}
