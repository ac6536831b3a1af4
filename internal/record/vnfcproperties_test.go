package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func scaledVnf() vnf {
	j := instantiating(``)
	j.OpOcc.Operation = lcm.OpScale
	j.Instance.Metadata = map[string]any{lcm.VduVnfcMapping: map[string]any{"node": []any{"first"}}}
	j.Instance.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
		{
			ID: "a", VduID: "node", Metadata: map[string]any{"parent_resource_name": "node-0"},
			ConfigurableProperties: map[string]any{"level": "info"},
		},
		{
			ID: "b", VduID: "node", Metadata: map[string]any{"parent_resource_name": "node-1"},
			ConfigurableProperties: map[string]any{"level": "debug"},
		},
	}}
	return j
}

// TestResources_keepThePropertiesOfVnfcs checks that an operation, which records all VNFCs anew, keeps the properties
// that clients have set. No VIM has these.
func TestResources_keepThePropertiesOfVnfcs(t *testing.T) {
	made := func(ids ...string) (out Outcome) {
		for i, id := range ids {
			out.Vnfcs = append(out.Vnfcs, Vnfc{VduID: "node", ServerID: id, Part: "s", ParentResource: "node-" +
				string(rune('0'+i))})
		}
		return out
	}
	for name, c := range map[string]struct {
		made Outcome
		want []any
	}{
		"a scaling out":                 {made("a", "b", "c"), []any{"info", "debug", nil}},
		"a scaling in":                  {made("a"), []any{"info"}},
		"a heal of one that has a name": {made("x", "b"), []any{"info", "debug"}},
		"a heal of one that has none":   {made("a", "x"), []any{"info", nil}},
		"a heal of the entire VNF":      {made("x", "y"), []any{"info", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			var info lcm.InstantiatedVnfInfo
			scaledVnf().resources(&info, c.made)
			var got []any
			for _, v := range info.VnfcResources {
				got = append(got, v.ConfigurableProperties["level"])
			}
			require.Equal(t, c.want, got)
			require.Equal(t, got[0], scaledVnf().restored(c.made).Info.VnfcResources[0].ConfigurableProperties["level"],
				"after a rollback, too")
		})
	}
}
