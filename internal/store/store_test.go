package store_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/store"
	_ "github.com/windlass-nfv/windlass/internal/vim/kinds"
)

// TestMain also finds goroutines that continue after their store is closed.
func TestMain(m *testing.M) {
	code := pgtest.Run(m)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// open opens a store on a new database.
func open(t *testing.T) *store.Store {
	t.Helper()
	return openURL(t, pgtest.URL(t))
}

func openURL(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func newPackage(t *testing.T, s *store.Store) lcm.VnfPkg {
	t.Helper()
	p := lcm.VnfPkg{
		ID: lcm.VnfPkgID(uuid.NewString()), OnboardingState: lcm.PkgOnboarded, OperationalState: lcm.PkgEnabled,
		VnfdID: lcm.VnfdID("vnfd-" + uuid.NewString()),
	}
	require.NoError(t, s.CreatePackage(in(t, lcm.DefaultProject), p))
	return p
}

func newInstance(t *testing.T, s *store.Store) lcm.VnfInstance {
	t.Helper()
	p := newPackage(t, s)
	i := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(uuid.NewString()), VnfPkgID: p.ID, VnfdID: p.VnfdID,
		InstantiationState: lcm.NotInstantiated,
	}
	require.NoError(t, s.CreateInstance(in(t, lcm.DefaultProject), i))
	return i
}

func instantiate(i lcm.VnfInstance) lcm.VnfLcmOpOcc {
	return lcm.VnfLcmOpOcc{
		ID: lcm.OpOccID(uuid.NewString()), VnfInstanceID: i.ID, Operation: lcm.OpInstantiate, APIVersion: 1,
	}
}

// begun returns an operation in STARTING of a new instance.
func begun(t *testing.T, s *store.Store) lcm.VnfLcmOpOcc {
	t.Helper()
	op := instantiate(newInstance(t, s))
	require.NoError(t, s.BeginOperation(t.Context(), op))
	return op
}

// recorder returns a function that records states of an operation with increasing numbers.
func recorder(s *store.Store, t *testing.T, id lcm.OpOccID) func(lcm.OperationState) {
	var sequence atomic.Int64
	return func(state lcm.OperationState) {
		t.Helper()
		require.NoError(t, s.RecordOperation(t.Context(),
			lcm.OperationRecord{OpOccID: id, Sequence: sequence.Add(1), State: state}))
	}
}

func requireKind(t *testing.T, want lcm.ErrorKind, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, want, lcm.KindOf(err), "%v", err)
}

func TestOpen_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), "postgres://windlass:hunter2@localhost:port/windlass")
	requireKind(t, lcm.KindInvalid, err)
	assert.NotContains(t, err.Error(), "hunter2")

	_, err = store.Open(t.Context(), "postgres://windlass:hunter2@127.0.0.1:1/windlass")
	requireKind(t, lcm.KindUnavailable, err)
	assert.NotContains(t, err.Error(), "hunter2")

	_, err = store.Open(t.Context(), pgtest.URL(t)+"&dbname=absent")
	requireKind(t, lcm.KindInvalid, err)

	_, err = store.Open(t.Context(), pgtest.URL(t)+"&user=absent")
	requireKind(t, lcm.KindDenied, err)

	_, err = store.Open(t.Context(), pgtest.Empty(t))
	requireKind(t, lcm.KindInvalid, err)
	assert.Contains(t, err.Error(), "windlass migrate")
}

func TestPing(t *testing.T) {
	t.Parallel()
	assert.NoError(t, open(t).Ping(t.Context()))
}
