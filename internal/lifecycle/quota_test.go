package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestNeeds_isWhatTheNewMachinesTake(t *testing.T) {
	f := equipped(t)
	needs := func(op lcm.Operation, body string) *lifecycle.Quota {
		t.Helper()
		p, err := planOf(f, op, json.RawMessage(body))
		require.NoError(t, err)
		return lifecycle.Needs(p, f)
	}
	require.Equal(t, &lifecycle.Quota{Instances: 2, Cores: new(4), RAM: new(8192), Ports: 2, Volumes: 2},
		needs(lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":2}`))
	healed := needs(lcm.OpHeal, `{"vnfcInstanceId":["worker-0","cp-1"]}`)
	require.Equal(t, []int{2, 0, 0}, []int{healed.Instances, healed.Ports, healed.Volumes},
		"ports and volumes are handed over")
	all := needs(lcm.OpHeal, `{"vnfcInstanceId":["worker-0"],"additionalParams":{"all":true}}`)
	require.Equal(t, []int{1, 1, 1}, []int{all.Instances, all.Ports, all.Volumes})
	require.Nil(t, needs(lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance"}`))
	require.Nil(t, needs(lcm.OpOperate, `{"changeStateTo":"STOPPED"}`))

	for size, want := range map[string]*int{
		"192 MB": new(192), "0.5 GiB": new(512), "1 TB": new(1 << 20), "much": nil, "": nil,
	} {
		flavour := *f.Flavour
		flavour.Vdus = []descriptor.Vdu{{ID: "workerNode", VirtualMemory: size}}
		facts := f
		facts.Flavour = &flavour
		got := lifecycle.Needs(lcm.Plan{
			Operation: lcm.OpScale,
			Groups:    []lcm.GroupChange{{VduID: "workerNode", From: 1, To: 2}},
		}, facts)
		require.Equal(t, want, got.RAM, size)
		require.Nil(t, got.Cores, "the VNFD does not tell")
	}
}
