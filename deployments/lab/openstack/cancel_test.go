package openstack_test

import (
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"
)

func TestStackIsCancelledWithoutRollback(t *testing.T) {
	b := newBench(t)
	b.machines.hold = make(chan struct{})
	sc := b.heat()
	id := b.create(sc, "s", template(`
heat_template_version: 2021-04-16
resources:
  server:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: debian-12-k8s, networks: [{network: net0}]}
`, nil), nil)
	require.Eventually(t, func() bool {
		_, all := b.lab("GET", "/resources", nil)
		return len(all["servers"].([]any)) == 1
	}, time.Minute, 5*time.Millisecond)
	act := func(action string) (status int) {
		res, err := sc.Post(t.Context(), sc.ServiceURL("stacks", "s", id, "actions"), map[string]any{action: nil}, nil,
			&gophercloud.RequestOpts{OkCodes: []int{201, 400}})
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	require.Equal(t, 400, act("cancel_update"), "the lab rolls nothing back")
	require.Equal(t, 201, act("cancel_without_rollback"))
	st := b.await(sc, id, "CREATE_FAILED")
	require.Equal(t, "Stack CREATE cancelled", st.StatusReason)
	require.Equal(t, 400, act("cancel_without_rollback"), "it is over")
	close(b.machines.hold)

	require.NoError(t, stacks.Delete(t.Context(), sc, "s", id).ExtractErr())
	b.await(sc, id, "DELETE_COMPLETE")
	b.requireEmpty()
}
