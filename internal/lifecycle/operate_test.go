package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func operated(p lcm.Plan) (names []string) {
	for _, v := range p.Operated {
		names = append(names, v.Node+" "+string(v.Was))
	}
	return names
}

func TestOperate_choosesWhatIsNamedElseEverything(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Instance.Instantiated.Switch(lcm.VnfStopped, []string{"worker-1"}, nil)
	for body, c := range map[string]struct {
		whole bool
		names []string
	}{
		`{"changeStateTo":"STOPPED"}`: {true, []string{
			"cp-0 STARTED", "cp-1 STARTED", "cp-2 STARTED", "worker-0 STARTED",
			"worker-1 STOPPED",
		}},
		`{"changeStateTo":"STARTED"}`: {true, []string{
			"cp-0 STARTED", "cp-1 STARTED", "cp-2 STARTED", "worker-0 STARTED",
			"worker-1 STOPPED",
		}},
		`{"changeStateTo":"STOPPED","vnfcInstanceId":["worker-0","workerNode-worker-0"]}`: {
			false,
			[]string{"worker-0 STARTED"},
		},
		`{"changeStateTo":"STARTED","vnfcInstanceId":"worker-1"}`: {
			true,
			[]string{"worker-1 STOPPED"},
		},
		`{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-1"],"additionalParams":{"vnfc_instance_ids":["cp-1","worker-0"]}}`: {
			false, []string{"cp-1 STARTED", "worker-0 STARTED"},
		},
		`{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0","cp-1","cp-2","worker-0"]}`: {
			true, []string{"cp-0 STARTED", "cp-1 STARTED", "cp-2 STARTED", "worker-0 STARTED"},
		},
	} {
		p, err := planOf(f, lcm.OpOperate, json.RawMessage(body))
		require.NoError(t, err, body)
		require.Equal(t, c.names, operated(p), body)
		require.Equal(t, c.whole, p.Whole, body)
		require.Zero(t, p.Adds()+p.Removes())
	}
}

func TestOperate_keepsTheQuorumOfAClusterThatGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		controlPlanes   int
		body            string
		stopped         []string
		unhealthy, says string
	}{
		"two of three": {
			3, `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0","cp-1"]}`, nil, "",
			"1 of 3 control planes would run, but etcd needs 2",
		},
		"one of three":         {3, `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0"]}`, nil, "", ""},
		"two of five":          {5, `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0","cp-1"]}`, nil, "", ""},
		"the only one":         {1, `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0"]}`, nil, "", "0 of 1"},
		"one, another is dead": {3, `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0"]}`, nil, "cp-2", "1 of 3"},
		"one, another is off": {
			3, `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0"]}`,
			[]string{"cp-1"},
			"",
			"1 of 3",
		},
		"the one that is off":   {3, `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-1"]}`, []string{"cp-1"}, "", ""},
		"a worker, others dead": {3, `{"changeStateTo":"STOPPED","vnfcInstanceId":["worker-0"]}`, nil, "cp-2", ""},
		"everything":            {3, `{"changeStateTo":"STOPPED"}`, nil, "cp-2", ""},
		"a start needs no quorum": {
			3, `{"changeStateTo":"STARTED","vnfcInstanceId":["cp-0"]}`,
			[]string{"cp-0", "cp-1"},
			"",
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := cluster(t, c.controlPlanes, 2)
			f.Instance.Instantiated.Switch(lcm.VnfStopped, c.stopped, nil)
			if c.unhealthy != "" {
				f.Unhealthy[c.unhealthy] = "its etcd does not answer"
			}
			_, err := planOf(f, lcm.OpOperate, json.RawMessage(c.body))
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestOperate_ofAnUnknownVnfcNamesWhereItIsWritten(t *testing.T) {
	f := cluster(t, 3, 2)
	_, err := planOf(f, lcm.OpOperate, json.RawMessage(`{"changeStateTo":"STOPPED","vnfcInstanceId":["x"]}`))
	require.ErrorContains(t, err, "$.vnfcInstanceId[0]")
	_, err = planOf(f, lcm.OpOperate,
		json.RawMessage(`{"changeStateTo":"STOPPED","additionalParams":{"vnfc_instance_ids":["y"]}}`))
	require.ErrorContains(t, err, "$.additionalParams.vnfc_instance_ids[0]")
}

func TestFor_changesNothingOfAVnfThatIsStopped(t *testing.T) {
	f := cluster(t, 3, 2)
	var all []string
	for _, v := range f.Instance.Instantiated.VnfcResources {
		all = append(all, v.ID)
	}
	f.Instance.Instantiated.Switch(lcm.VnfStopped, all[1:], nil)
	_, err := planOf(f, lcm.OpHeal, json.RawMessage(`{"vnfcInstanceId":["worker-1"]}`))
	require.NoError(t, err, "a VNFC that does not start any more can be healed while another one runs")
	f.Instance.Instantiated.Switch(lcm.VnfStopped, all, nil)
	for op, body := range map[lcm.Operation]string{
		lcm.OpScale:        `{"type":"SCALE_OUT","aspectId":"worker_instance"}`,
		lcm.OpScaleToLevel: `{"instantiationLevelId":"instantiation_level_1"}`, lcm.OpHeal: `{}`,
	} {
		_, err := planOf(f, op, json.RawMessage(body))
		require.True(t, lcm.Is(err, lcm.KindConflict), "%s: %v", op, err)
		require.ErrorContains(t, err, "start it first")
	}
}
