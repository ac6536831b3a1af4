package hybrid_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/hybrid"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
)

// clouds returns two VIMs in memory: "workers" are on the VIM with that name, "pods" on the other.
func clouds(workers string) (a, b *vimtest.Memory, v *hybrid.VIM) {
	a, b = vimtest.NewMemory(), vimtest.NewMemory()
	a.Mark, b.Mark = "a-", "b-"
	for name, m := range map[string]*vimtest.Memory{"a": a, "b": b} {
		if m.Group = "pods"; name == workers {
			m.Group = "workers"
		}
	}
	return a, b, hybrid.New(hybrid.Part{Name: "a", VIM: a}, hybrid.Part{Name: "b", VIM: b})
}

func TestVIM_isOne(t *testing.T) {
	for _, of := range [][2]string{{"a", "b"}, {"b", "a"}} {
		_, _, v := clouds(of[0])
		vimtest.Run(t, vimtest.Bed{
			VIM: v, Name: "vnf-1", Patience: time.Minute,
			Define: func(n int) vim.Definition { return hybrid.Definition{of[0]: vimtest.Size(n), of[1]: vimtest.Size(0)} },
			Resize: func(n int) vim.Definition { return hybrid.Definition{of[0]: vimtest.Size(n)} },
		})
	}
}

const owner = "windlass-vnf-1"

func silent(string) {}

func deployed(t *testing.T) (a, b *vimtest.Memory, v *hybrid.VIM) {
	t.Helper()
	a, b, v = clouds("a")
	_, err := v.Deploy(t.Context(), vim.Deployment{
		Name: "vnf", Owner: owner, Operation: "op-1",
		Definition: hybrid.Definition{"a": vimtest.Size(1), "b": vimtest.Size(2)},
	}, silent)
	require.NoError(t, err)
	return a, b, v
}

func inventory(t *testing.T, v vim.VIM) *vim.Inventory {
	t.Helper()
	inv, err := v.Inventory(t.Context(), "vnf")
	require.NoError(t, err)
	return inv
}

func TestInventory_tellsPartsApart(t *testing.T) {
	a, b, v := deployed(t)
	inv := inventory(t, v)
	require.Equal(t, inventory(t, a).ID, inv.ID)
	require.Len(t, inv.OfKind(vim.Compute), 3)
	require.Len(t, inv.Servers, 3)
	require.Equal(t, inventory(t, b), inv.Part("b"))
	for _, r := range inv.OfKind(vim.Compute) {
		require.Equal(t, string(r.ID[0]), r.On)
	}
	for group, want := range map[string]int{"workers": 1, "pods": 2} {
		members, err := inv.Members(group)
		require.NoError(t, err)
		require.Len(t, members, want)
	}
}

func TestChange_leavesPartsAloneThatItIsNotAbout(t *testing.T) {
	a, b, v := deployed(t)
	before := inventory(t, a)
	require.NoError(t, v.Change(t.Context(), vim.Change{
		Name: "vnf", Owner: owner, Operation: "op-2", Definition: hybrid.Definition{"b": vimtest.Size(3)},
		Replace: inventory(t, v).OfKind(vim.Compute)[:1], // it belongs to the other part
	}, silent))
	require.Equal(t, before, inventory(t, a))
	require.Len(t, inventory(t, b).OfKind(vim.Compute), 3)

	gone := inventory(t, v).OfKind(vim.Compute)
	require.NoError(t, v.Change(t.Context(), vim.Change{Name: "vnf", Owner: owner, Operation: "op-3", Replace: gone[:2]}, silent))
	now := inventory(t, v).Servers
	require.NotContains(t, now, gone[0].ID)
	require.NotContains(t, now, gone[1].ID)
	require.Contains(t, now, gone[2].ID)
	require.Len(t, now, 4)
}

func TestInventory_ofAPartThatIsMissingHasFailed(t *testing.T) {
	_, b, v := deployed(t)
	require.NoError(t, b.Remove(t.Context(), "vnf", owner, silent))
	inv := inventory(t, v)
	require.Equal(t, vim.Failed, inv.Level)
	require.Contains(t, inv.Status, "type b")
	require.Len(t, inv.OfKind(vim.Compute), 1)
	require.Nil(t, inv.Part("b"))
}

// broken is a VIM whose deployments fail, or wait until the context ends.
type broken struct {
	*vimtest.Memory

	err   error
	ended atomic.Bool
}

func (b *broken) Deploy(ctx context.Context, d vim.Deployment, show func(string)) (string, error) {
	if b.err != nil {
		return "", b.err
	}
	_, err := b.Memory.Deploy(ctx, d, show)
	if err != nil {
		return "", err
	}
	<-ctx.Done()
	b.ended.Store(true)
	return "", ctx.Err()
}

func (b *broken) Remove(ctx context.Context, name, owner string, show func(string)) error {
	if b.err != nil {
		return b.err
	}
	return b.Memory.Remove(ctx, name, owner, show)
}

func TestDeploy_endsWithTheFirstFailure(t *testing.T) {
	slow, failing := &broken{Memory: vimtest.NewMemory()}, &broken{Memory: vimtest.NewMemory(), err: lcm.Errorf(lcm.KindBroken, "no image")}
	v := hybrid.New(hybrid.Part{Name: "a", VIM: slow}, hybrid.Part{Name: "b", VIM: failing})
	_, err := v.Deploy(t.Context(), vim.Deployment{
		Name: "vnf", Owner: owner, Operation: "op-1", Definition: hybrid.Definition{"a": vimtest.Size(1), "b": vimtest.Size(1)},
	}, silent)
	require.Equal(t, failing.err, err, "the error is the one of the failure, not of the part that was stopped")
	require.True(t, slow.ended.Load())

	require.Equal(t, failing.err, v.Remove(t.Context(), "vnf", owner, silent))
	_, err = slow.Inventory(t.Context(), "vnf")
	require.True(t, lcm.Is(err, lcm.KindNotFound), "what can be removed is, whatever becomes of the rest")
}

// halting is a VIM that can stop whole deployments, and can remove them as an operation requires.
type halting struct {
	*vimtest.Memory

	halted   vim.Definition
	disposed vim.Removal
}

func (h *halting) Halt(_ context.Context, ch vim.Change, _ time.Duration, _ func(string)) error {
	h.halted = ch.Definition
	return nil
}

func (h *halting) Resume(context.Context, vim.Change, func(string)) error { h.halted = nil; return nil }

func (h *halting) Dispose(ctx context.Context, name, owner string, how vim.Removal, show func(string)) error {
	h.disposed = how
	return h.Remove(ctx, name, owner, show)
}

func TestAbilities_areThoseOfTheParts(t *testing.T) {
	pods := &halting{Memory: vimtest.NewMemory()}
	v := hybrid.New(hybrid.Part{Name: "a", VIM: vimtest.NewMemory()}, hybrid.Part{Name: "b", VIM: pods})
	_, err := vim.As[vim.Power](v, "start and stop servers")
	require.True(t, lcm.Is(err, lcm.KindInvalid), "none of them has servers")
	halter, err := vim.As[vim.Halter](v, "stop deployments")
	require.NoError(t, err)
	ch := vim.Change{Name: "vnf", Owner: owner, Definition: hybrid.Definition{"b": vimtest.Size(2)}}
	require.NoError(t, halter.Halt(t.Context(), ch, time.Second, silent))
	require.Equal(t, vimtest.Size(2), pods.halted, "each part has its own definition")
	require.NoError(t, halter.Resume(t.Context(), ch, silent))
	require.Nil(t, pods.halted)
	how := vim.Removal{Volumes: vim.VolumesStay}
	require.NoError(t, v.Dispose(t.Context(), "vnf", owner, how, silent))
	require.Equal(t, how, pods.disposed)

	_, _, servers := clouds("a")
	require.True(t, lcm.Is(servers.Halt(t.Context(), ch, 0, silent), lcm.KindInvalid))
}

func TestDefinition_ofOneVIMIsRefused(t *testing.T) {
	_, _, v := clouds("a")
	_, err := v.Deploy(t.Context(), vim.Deployment{Name: "vnf", Owner: owner, Definition: vimtest.Size(1)}, silent)
	require.True(t, lcm.Is(err, lcm.KindBug))
	require.True(t, lcm.Is(v.Change(t.Context(), vim.Change{Name: "vnf", Owner: owner, Definition: vimtest.Size(1)}, silent), lcm.KindBug))
}
