package lcm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func twoVnfcs() *lcm.InstantiatedVnfInfo {
	return &lcm.InstantiatedVnfInfo{VnfState: lcm.VnfStarted, VnfcResources: []lcm.VnfcResourceInfo{
		{ID: "a", ComputeResource: lcm.ResourceHandle{ResourceID: "server-a"}},
		{ID: "b", ComputeResource: lcm.ResourceHandle{ResourceID: "server-b"}},
	}}
}

func TestSwitch_theVnfIsStoppedWhenAllItsVnfcsAre(t *testing.T) {
	t.Parallel()
	i := twoVnfcs()
	for range 2 { // it is recorded twice
		i.Switch(lcm.VnfStopped, []string{"a"}, []string{"a"})
		assert.Equal(t, lcm.VnfStarted, i.VnfState)
		assert.Equal(t, []lcm.StoppedVnfc{{VnfcID: "a", Cordoned: true}}, i.Stopped)
	}
	assert.Equal(t, lcm.VnfStopped, i.StateOf("a"))
	assert.Equal(t, lcm.VnfStarted, i.StateOf("b"))
	assert.True(t, i.Cordoned("a"))
	assert.Equal(t, []string{"server-a"}, i.StoppedServers())
	i.Switch(lcm.VnfStopped, []string{"b"}, nil)
	assert.Equal(t, lcm.VnfStopped, i.VnfState)
	i.Switch(lcm.VnfStarted, []string{"a"}, nil)
	assert.Equal(t, lcm.VnfStarted, i.VnfState)
	assert.Equal(t, []string{"server-b"}, i.StoppedServers())
	i.Switch(lcm.VnfStarted, []string{"a", "b"}, nil)
	assert.Empty(t, i.Stopped)
}

func TestKeepStopped_forgetsVnfcsThatAreGone(t *testing.T) {
	t.Parallel()
	before, after := twoVnfcs(), twoVnfcs()
	before.Switch(lcm.VnfStopped, []string{"a", "b"}, nil)
	after.VnfcResources[1].ID = "c"
	after.KeepStopped(before)
	assert.Equal(t, []lcm.StoppedVnfc{{VnfcID: "a"}}, after.Stopped)
	assert.Equal(t, lcm.VnfStarted, after.VnfState)
	after.KeepStopped(nil)
	var none *lcm.InstantiatedVnfInfo
	assert.Equal(t, lcm.VnfStarted, none.StateOf("a"))
	assert.Empty(t, none.StoppedServers())
}

func TestOperateRequest_readsBothForms(t *testing.T) {
	t.Parallel()
	req, err := lcmtest.Read[lcm.OperateRequest]([]byte(`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":90,"vnfcInstanceId":"a","additionalParams":{"vnfc_instance_ids":["b"]}}`))
	require.NoError(t, err)
	assert.True(t, req.Graceful())
	assert.Equal(t, 90*time.Second, req.GracePeriod())
	assert.Equal(t, []string{"a"}, req.VnfcInstanceID)
	assert.Equal(t, []string{"b"}, req.VnfcIDs)
	req, err = lcmtest.Read[lcm.OperateRequest]([]byte(`{"changeStateTo":"STOPPED"}`))
	require.NoError(t, err)
	assert.False(t, req.Graceful(), "FORCEFUL when it is not given")
	_, err = lcmtest.Read[lcm.OperateRequest]([]byte(`{"changeStateTo":7}`))
	assert.True(t, lcm.Is(err, lcm.KindInvalid))
}
