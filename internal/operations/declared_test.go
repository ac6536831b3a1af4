package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestRefused(t *testing.T) {
	level := map[string]descriptor.Member{"level": {Type: descriptor.TypeString, Required: true}}
	vnfd := &descriptor.Vnfd{Declared: descriptor.Declared{
		Metadata:   map[string]descriptor.Member{"rack": {Type: descriptor.TypeInteger}},
		Extensions: level, ConfigurableProperties: level,
	}}
	good, running := map[string]any{"level": "info"}, &lcm.InstantiatedVnfInfo{}
	modify := func(patch string) lcm.VnfLcmOpOcc {
		return lcm.VnfLcmOpOcc{Operation: lcm.OpModifyInfo, Params: json.RawMessage(patch)}
	}
	for name, c := range map[string]struct {
		Operation Operation
		want      []string
	}{
		"an instantiation completes what is there": {Operation{
			OpOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpInstantiate}, Instance: lcm.VnfInstance{Extensions: good},
			Request: lcm.InstantiateRequest{ConfigurableProperties: good},
		}, nil},
		"an instantiation without what is required": {
			Operation{OpOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpInstantiate}},
			[]string{"$.extensions.level", "$.vnfConfigurableProperties.level"},
		},
		"one that has begun": {Operation{OpOcc: lcm.VnfLcmOpOcc{
			Operation: lcm.OpInstantiate,
			Sequence:  1,
		}}, nil},
		"a modification before": {Operation{OpOcc: modify(`{"extensions":{}}`)}, nil},
		"a modification of a VNF that runs": {Operation{
			OpOcc:    modify(`{"extensions":{}}`),
			Instance: lcm.VnfInstance{Instantiated: running},
		}, []string{"$.extensions.level"}},
		"one of something else": {Operation{
			OpOcc:    modify(`{"vnfInstanceName":"x"}`),
			Instance: lcm.VnfInstance{Instantiated: running, Metadata: map[string]any{"rack": "x"}},
		}, nil},
		"one to another VNFD": {Operation{
			OpOcc: modify(`{"vnfdId":"x"}`), Instance: lcm.VnfInstance{
				VnfPkgID: "new", Metadata: map[string]any{"rack": "x"}, Extensions: map[string]any{"old": 1},
			},
		}, []string{"$.metadata.rack", "$.extensions.old"}},
		"one that takes all away": {Operation{
			OpOcc:    modify(`{"metadata":null,"extensions":null}`),
			Instance: lcm.VnfInstance{Extensions: nil},
		}, nil},
		"another operation": {Operation{
			OpOcc:    lcm.VnfLcmOpOcc{Operation: lcm.OpHeal},
			Instance: lcm.VnfInstance{Instantiated: running},
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.Operation.Vnfd, c.Operation.Own = vnfd, lcmtest.Own(c.Operation.OpOcc)
			refused := c.Operation.Refused()
			if c.want == nil {
				require.Nil(t, refused)
				return
			}
			require.Equal(t, lcm.KindInvalid, refused.Kind)
			var paths []string
			for _, p := range refused.Problems {
				paths = append(paths, p.Path)
			}
			require.Equal(t, c.want, paths)
			c.Operation.Vnfd = &descriptor.Vnfd{}
			require.Nil(t, c.Operation.Refused(), "a VNFD that declares nothing")
		})
	}
}
