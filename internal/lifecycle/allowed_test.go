package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestAllowed_isWhatTheVnfdSays(t *testing.T) {
	strict := &descriptor.Flavour{LcmOperations: &descriptor.LcmOperations{
		SeveralSteps: new(false), AnyLevels: new(false), HealCauses: []string{"power", "disk"}, MinTermination: 30,
		MinStop: 20,
	}}
	open := &descriptor.Flavour{LcmOperations: &descriptor.LcmOperations{SeveralSteps: new(true), AnyLevels: new(true)}}
	for _, c := range []struct {
		op      lcm.Operation
		body    string
		refused string
	}{
		{lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"a","numberOfSteps":2}`, "$.numberOfSteps"},
		{lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"a","numberOfSteps":1}`, ""},
		{lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"a"}`, ""},
		{lcm.OpScaleToLevel, `{"scaleInfo":[{"aspectId":"a","scaleLevel":1}]}`, "$.scaleInfo"},
		{lcm.OpScaleToLevel, `{"instantiationLevelId":"high"}`, ""},
		{lcm.OpHeal, `{"cause":"boredom"}`, "$.cause"},
		{lcm.OpHeal, `{"cause":"disk"}`, ""},
		{lcm.OpHeal, `{}`, ""},
		{lcm.OpTerminate, `{"terminationType":"GRACEFUL","gracefulTerminationTimeout":29}`, "$.gracefulTerminationTimeout"},
		{lcm.OpTerminate, `{"terminationType":"GRACEFUL","gracefulTerminationTimeout":30}`, ""},
		{lcm.OpTerminate, `{"terminationType":"GRACEFUL"}`, ""},
		{lcm.OpTerminate, `{"terminationType":"FORCEFUL"}`, ""},
		{
			lcm.OpOperate, `{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":19}`,
			"$.gracefulStopTimeout",
		},
		{lcm.OpOperate, `{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":20}`, ""},
		{lcm.OpOperate, `{"changeStateTo":"STARTED"}`, ""},
		{lcm.OpChangeExtConn, `{}`, ""},
	} {
		for _, free := range []*descriptor.Flavour{open, {}} {
			require.NoError(t, allowed(free, c.op, json.RawMessage(c.body)), "%s %s", c.op, c.body)
		}
		err := allowed(strict, c.op, json.RawMessage(c.body))
		if c.refused == "" {
			assert.NoError(t, err, "%s %s", c.op, c.body)
			continue
		}
		var e *lcm.Error
		require.ErrorAs(t, err, &e, "%s %s", c.op, c.body)
		assert.Equal(t, lcm.KindInvalid, e.Kind)
		require.Len(t, e.Problems, 1)
		assert.Equal(t, c.refused, e.Problems[0].Path)
	}
}
