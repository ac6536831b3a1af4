package lcm

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDay2Requests_takeNullForNothing(t *testing.T) {
	heal, err := ParseHeal(json.RawMessage(`{"vnfcInstanceId":null}`))
	require.NoError(t, err)
	require.Empty(t, heal.VnfcInstanceID)
	scale, err := ParseScale(json.RawMessage(`{"numberOfSteps":null}`))
	require.NoError(t, err)
	require.Equal(t, Count(1), scale.NumberOfSteps)
}
