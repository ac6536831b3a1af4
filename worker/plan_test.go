package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestOverridden_aHealPutsCredentialsInThePlaceOfOthers(t *testing.T) {
	stored := json.RawMessage(`{"k8s_cluster_installation_param":{"master_node":{"username":"debian","password":{"$secret":"old"}},"vim_name":"v"}}`)
	heal := lcm.VnfLcmOpOcc{Operation: lcm.OpHeal, Params: json.RawMessage(
		`{"cause":"x","additionalParams":{"k8s_cluster_installation_param":{"master_node":{"password":{"$secret":"new"}}}}}`)}
	got, err := overridden(heal, stored)
	require.NoError(t, err)
	require.JSONEq(t, `{"k8s_cluster_installation_param":{"master_node":{"username":"debian","password":{"$secret":"new"}},"vim_name":"v"}}`, string(got))

	for _, op := range []lcm.VnfLcmOpOcc{{Operation: lcm.OpScale, Params: heal.Params}, {Operation: lcm.OpHeal, Params: json.RawMessage(`{}`)}} {
		got, err := overridden(op, stored)
		require.NoError(t, err)
		require.JSONEq(t, string(stored), string(got), "%s", op.Operation)
	}
}

func TestJob_levelsAreThePlansWhenThereIsOne(t *testing.T) {
	flavour := &vnfpkg.Flavour{DefaultLevel: "small", Levels: []vnfpkg.Level{{ID: "small"}}, Aspects: []vnfpkg.ScalingAspect{{ID: "workers"}}}
	j := &job{flavour: flavour}
	level, status := j.levels()
	assert.Equal(t, "small", level)
	assert.Equal(t, []lcm.ScaleInfo{{AspectID: "workers"}}, status)

	j.opOcc.Plan = &lcm.Plan{ScaleStatus: []lcm.ScaleInfo{{AspectID: "workers", ScaleLevel: 2}}}
	level, status = j.levels()
	assert.Empty(t, level)
	assert.Equal(t, 2, status[0].ScaleLevel)
}
