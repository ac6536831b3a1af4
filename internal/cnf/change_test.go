package cnf

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestReadChange(t *testing.T) {
	c, problems := ReadChange(json.RawMessage(`{"upgrade_type":"RollingUpdate","vdu_params":[{"vdu_id":"VDU2"},{"vdu_id":"no"}],
		"lcm-operation-coordinate-new-vnf":"./Scripts/coordinate.py"}`))
	require.Empty(t, problems, "what is for others is left to them")
	require.True(t, c.Partial())
	require.Equal(t, []string{`$.additionalParams.vdu_params[1].vdu_id the flavour simple has no VDU "no"`},
		sentences(c.Problems(&descriptor.Flavour{ID: "simple", Vdus: []descriptor.Vdu{{ID: "VDU2"}}})))

	_, problems = ReadChange(json.RawMessage(`{"upgrade_type":"BlueGreen","vdu_params":[{}]}`))
	require.Len(t, problems, 2)
	c, problems = ReadChange(nil)
	require.Empty(t, problems)
	require.False(t, c.Partial())
}

func TestRead_takesTheLaterOfTwoThatAreTheSameObject(t *testing.T) {
	m := of(t, manifest("Deployment", "web", ""), manifest("Service", "web", ""), manifest("Deployment", "web", "")+
		"spec: { replicas: 3 }\n")
	require.Len(t, m.Objects, 2)
	require.Contains(t, m.Objects[0].Object, "spec")
}
