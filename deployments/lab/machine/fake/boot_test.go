package fake_test

import (
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
)

// answers reports whether a server listens on the address.
func answers(address string) bool {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(address, "2222"), time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// TestReplug_reachesAMachineThatBoots checks that a machine that gets other ports while it boots answers on their
// addresses, and releases the former addresses.
func TestReplug_reachesAMachineThatBoots(t *testing.T) {
	l := newLab(t, fake.Options{BootDelay: 300 * time.Millisecond})
	l.boot("m1")
	former, now := l.address["m1"], nextAddress()
	require.NoError(t, l.hypervisor.Replug(t.Context(), "m1",
		[]machine.Port{{ID: "other", NetworkID: "net0", FixedIPs: []string{now}}}))
	require.Eventually(t, func() bool { return answers(now) }, 10*time.Second, 10*time.Millisecond)
	require.False(t, answers(former), "its next owner must be able to listen there")
}

// TestKill_freesTheAddressOfAMachineThatBoots powers machines off at any moment of a boot. The address must be free at
// once for the next machine.
func TestKill_freesTheAddressOfAMachineThatBoots(t *testing.T) {
	l := newLab(t, fake.Options{BootDelay: time.Millisecond})
	l.boot("m1")
	done := make(chan error)
	go func() {
		for range 2000 {
			time.Sleep(900*time.Microsecond + rand.N(200*time.Microsecond))
			err := l.hypervisor.Kill(t.Context(), "m1")
			if err == nil {
				var free net.Listener
				if free, err = net.Listen("tcp", net.JoinHostPort(l.address["m1"], "2222")); err == nil {
					err = free.Close()
				}
			}
			if err == nil {
				err = l.hypervisor.Start(t.Context(), "m1")
			}
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the power does not go off")
	}
}
