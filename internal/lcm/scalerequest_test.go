package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func TestScaleRequest_takesAWholeNumberWithADot(t *testing.T) {
	for text, want := range map[string]int{"2": 2, `"2"`: 2, "2.0": 2, "2.00": 2, "null": 1} {
		request, err := lcmtest.Read[lcm.ScaleRequest]([]byte(`{"type":"SCALE_OUT","aspectId":"a","numberOfSteps":` + text + `}`))
		require.NoError(t, err, text)
		require.Equal(t, want, request.NumberOfSteps, text)
	}
	for _, wrong := range []string{"1.5", `"1."`, "1e400", `"x"`} {
		_, err := lcmtest.Read[lcm.ScaleRequest]([]byte(`{"type":"SCALE_OUT","aspectId":"a","numberOfSteps":` + wrong + `}`))
		require.True(t, lcm.Is(err, lcm.KindInvalid), wrong)
	}
}
