package apiserver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurns_areOfEachClient(t *testing.T) {
	t.Parallel()
	var all turns
	gone, leaveAll := context.WithCancel(t.Context())
	leaveAll()
	var leaves []func()
	for range listsAtOnce {
		leave, ok := all.enter(t.Context(), "one")
		require.True(t, ok)
		leaves = append(leaves, leave)
	}
	_, ok := all.enter(gone, "one")
	require.False(t, ok, "it has to wait, and its client has gone")
	leave, ok := all.enter(t.Context(), "other")
	require.True(t, ok, "another client does not wait")
	leave()

	waiting := make(chan bool)
	go func() {
		leave, ok := all.enter(t.Context(), "one")
		if ok {
			leave()
		}
		waiting <- ok
	}()
	leaves[0]()
	require.True(t, <-waiting, "its turn has come")
	for range listsWait + 1 {
		require.NotNil(t, all.join("one"))
	}
	require.Nil(t, all.join("one"), "too many wait")
	for at, i := all.clients["one"], 0; i <= listsWait; i++ {
		all.part("one", at)
	}
	leaves[1]()
	require.Empty(t, all.clients, "nothing is left")
}
