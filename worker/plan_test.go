package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
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

	for _, op := range []lcm.VnfLcmOpOcc{
		{Operation: lcm.OpScale, Params: heal.Params},
		{Operation: lcm.OpHeal, Params: json.RawMessage(`{}`)},
		{Operation: lcm.OpScaleToLevel, Params: json.RawMessage(`{"additionalParams":{"nfv":null}}`)},
		{Operation: lcm.OpOperate, Params: heal.Params},
	} {
		got, err := overridden(op, stored)
		require.NoError(t, err)
		require.JSONEq(t, string(stored), string(got), "%s", op.Operation)
	}
}

// Tacker's user data takes the member nfv of any request, and nothing else of a scaling or a change of links.
func TestOverridden_nfvOfScalingsAndChangesOfLinks(t *testing.T) {
	stored := `{"a":1,"nfv":{"VDU":{"V":{"flavor":"small"}},"CP":{"C":{"network":"n","fixed_ips":[],"other":1},"C-1":{"port":"p"},"D":{"network":"d"}}}}`
	links := `"extVirtualLinks":[{"id":"l","resourceId":"r","extCps":[{"cpdId":"C"}]}]`
	for name, c := range map[string]struct {
		op             lcm.Operation
		request, wants string
		stored         string
	}{
		"scale":         {lcm.OpScale, `{"additionalParams":{"b":2,"nfv":{"VDU":{"V":{"flavor":"big"}},"CP":{"D":null}}}}`, `{"a":1,"nfv":{"VDU":{"V":{"flavor":"big"}},"CP":{"C":{"network":"n","fixed_ips":[],"other":1},"C-1":{"port":"p"}}}}`, stored},
		"to a level":    {lcm.OpScaleToLevel, `{"additionalParams":{"nfv":{"VDU":{"W":1}}}}`, `{"nfv":{"VDU":{"W":1}}}`, ""},
		"links":         {lcm.OpChangeExtConn, `{` + links + `}`, `{"a":1,"nfv":{"VDU":{"V":{"flavor":"small"}},"CP":{"C":{"other":1},"C-1":{},"D":{"network":"d"}}}}`, stored},
		"links and nfv": {lcm.OpChangeExtConn, `{` + links + `,"additionalParams":{"c":3,"nfv":{"CP":{"C":{"network":"m"}}}}}`, `{"a":1,"nfv":{"VDU":{"V":{"flavor":"small"}},"CP":{"C":{"other":1,"network":"m"},"C-1":{},"D":{"network":"d"}}}}`, stored},
		"heal":          {lcm.OpHeal, `{"additionalParams":{"all":true,"nfv":{"VDU":{"V":{"flavor":"big"}}}}}`, `{"nfv":{"VDU":{"V":{"flavor":"big"}}}}`, ""},
	} {
		got, err := overridden(lcm.VnfLcmOpOcc{Operation: c.op, Params: json.RawMessage(c.request)}, json.RawMessage(c.stored))
		require.NoError(t, err, name)
		require.JSONEq(t, c.wants, string(got), name)
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

// Control planes come in pairs, workers one by one.
func TestJob_levelsLeftAreThoseThatWereReached(t *testing.T) {
	flavour := &vnfpkg.Flavour{
		Vdus: []vnfpkg.Vdu{{ID: "cp", InitialInstances: new(3)}, {ID: "worker", InitialInstances: new(2)}},
		Aspects: []vnfpkg.ScalingAspect{
			{ID: "cps", MaxScaleLevel: 2, StepDeltas: []string{"two"}, Deltas: map[string]map[string]int{"cp": {"two": 2}}},
			{ID: "workers", MaxScaleLevel: 5, StepDeltas: []string{"one"}, Deltas: map[string]map[string]int{"worker": {"one": 1}}},
		},
	}
	status := func(cps, workers int) []lcm.ScaleInfo {
		return []lcm.ScaleInfo{{AspectID: "cps", ScaleLevel: cps}, {AspectID: "workers", ScaleLevel: workers}}
	}
	vms := func(cps, workers int) (out []activities.Vnfc) {
		for range cps {
			out = append(out, activities.Vnfc{VduID: "cp"})
		}
		for range workers {
			out = append(out, activities.Vnfc{VduID: "worker"})
		}
		return out
	}
	groups := func(cpFrom, cpTo, workerFrom, workerTo int) []lcm.GroupChange {
		return []lcm.GroupChange{
			{AspectID: "cps", VduID: "cp", From: cpFrom, To: cpTo}, {AspectID: "workers", VduID: "worker", From: workerFrom, To: workerTo},
		}
	}
	for name, c := range map[string]struct {
		before    []lcm.ScaleInfo
		plan      lcm.Plan
		have      []activities.Vnfc
		want      []lcm.ScaleInfo
		wantLevel string
	}{
		"nothing was touched": {
			status(0, 1),
			lcm.Plan{ScaleStatus: status(1, 3), InstantiationLevelID: "large", Groups: groups(3, 5, 3, 5)},
			vms(3, 3), status(0, 1), "former",
		},
		"one pair is half made, the workers are there": {
			status(0, 1),
			lcm.Plan{ScaleStatus: status(1, 3), InstantiationLevelID: "large", Groups: groups(3, 5, 3, 5)},
			vms(4, 5), status(0, 3), "",
		},
		"all are there": {
			status(0, 1),
			lcm.Plan{ScaleStatus: status(1, 3), InstantiationLevelID: "large", Groups: groups(3, 5, 3, 5)},
			vms(5, 5), status(1, 3), "large",
		},
		"some of those that leave are gone": {
			status(2, 4),
			lcm.Plan{ScaleStatus: status(0, 1), Groups: groups(7, 3, 6, 3)},
			vms(5, 5), status(1, 3), "",
		},
		"an instantiation level had made them more": {status(0, 0), lcm.Plan{ScaleStatus: status(0, 2), Groups: []lcm.GroupChange{
			{AspectID: "workers", VduID: "worker", From: 4, To: 6},
		}}, vms(3, 5), status(0, 1), ""},
		"a heal has lost one": {
			status(0, 1),
			lcm.Plan{Operation: lcm.OpHeal, ScaleStatus: status(0, 1), InstantiationLevelID: "former"},
			vms(2, 3), status(0, 1), "former",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := &job{flavour: flavour, opOcc: lcm.VnfLcmOpOcc{Plan: &c.plan}}
			j.inst.Instantiated = &lcm.InstantiatedVnfInfo{ScaleStatus: c.before, InstantiationLevelID: "former"}
			level, got := j.levelsLeft(c.have)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.wantLevel, level)
		})
	}
}

// What is only for one heal must not be a parameter of the next one.
func TestOverridden_keepsNothingOfWhatIsForThisHealOnly(t *testing.T) {
	heal := lcm.VnfLcmOpOcc{Operation: lcm.OpHeal, Params: json.RawMessage(`{"additionalParams":{"keep_volumes":true,"all":false,"other":1}}`)}
	got, err := overridden(heal, json.RawMessage(`{"a":2}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":2,"other":1}`, string(got))
}
