package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func TestRequests_takeNullForNothing(t *testing.T) {
	heal, err := lcmtest.Read[lcm.HealRequest](json.RawMessage(`{"vnfcInstanceId":null}`))
	require.NoError(t, err)
	require.Empty(t, heal.VnfcInstanceID)
	scale, err := lcmtest.Read[lcm.ScaleRequest](json.RawMessage(`{"numberOfSteps":null}`))
	require.NoError(t, err)
	require.Equal(t, 1, scale.NumberOfSteps)
}
