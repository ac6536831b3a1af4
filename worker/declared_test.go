package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

func TestRefused(t *testing.T) {
	level := map[string]vnfpkg.Member{"level": {Type: vnfpkg.TypeString, Required: true}}
	vnfd := &vnfpkg.Vnfd{Declared: vnfpkg.Declared{Metadata: map[string]vnfpkg.Member{"rack": {Type: vnfpkg.TypeInteger}}, Extensions: level, ConfigurableProperties: level}}
	good, running := map[string]any{"level": "info"}, &lcm.InstantiatedVnfInfo{}
	modify := func(patch string) lcm.VnfLcmOpOcc {
		return lcm.VnfLcmOpOcc{Operation: lcm.OpModifyInfo, Params: json.RawMessage(patch)}
	}
	for name, c := range map[string]struct {
		job  job
		want []string
	}{
		"an instantiation completes what is there": {job{
			opOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpInstantiate}, inst: lcm.VnfInstance{Extensions: good},
			request: lcm.InstantiateRequest{ConfigurableProperties: good},
		}, nil},
		"an instantiation without what is required": {job{opOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpInstantiate}}, []string{"$.extensions.level", "$.vnfConfigurableProperties.level"}},
		"one that has begun":                        {job{opOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpInstantiate, Sequence: 1}}, nil},
		"a modification before":                     {job{opOcc: modify(`{"extensions":{}}`)}, nil},
		"a modification of a VNF that runs":         {job{opOcc: modify(`{"extensions":{}}`), inst: lcm.VnfInstance{Instantiated: running}}, []string{"$.extensions.level"}},
		"one of something else":                     {job{opOcc: modify(`{"vnfInstanceName":"x"}`), inst: lcm.VnfInstance{Instantiated: running, Metadata: map[string]any{"rack": "x"}}}, nil},
		"one to another VNFD": {job{
			opOcc: modify(`{"vnfdId":"x"}`), inst: lcm.VnfInstance{VnfPkgID: "new", Metadata: map[string]any{"rack": "x"}, Extensions: map[string]any{"old": 1}},
		}, []string{"$.metadata.rack", "$.extensions.old"}},
		"one that takes all away": {job{opOcc: modify(`{"metadata":null,"extensions":null}`), inst: lcm.VnfInstance{Extensions: nil}}, nil},
		"another operation":       {job{opOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpHeal}, inst: lcm.VnfInstance{Instantiated: running}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.job.vnfd = vnfd
			refused := c.job.refused()
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
			c.job.vnfd = &vnfpkg.Vnfd{}
			require.Nil(t, c.job.refused(), "a VNFD that declares nothing")
		})
	}
}
