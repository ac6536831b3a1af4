package lcm_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func TestTerminateRequest_readsHowLongToWait(t *testing.T) {
	for body, want := range map[string]struct {
		graceful bool
		wait     time.Duration
	}{
		`{"terminationType":"FORCEFUL"}`:                                         {false, 2 * time.Hour},
		`{"terminationType":"GRACEFUL"}`:                                         {true, 2 * time.Hour},
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":5}`:          {true, 5 * time.Second},
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":0}`:          {true, 0},
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":2000000000}`: {true, 2 * time.Hour},
	} {
		request, err := lcmtest.Read[lcm.TerminateRequest](json.RawMessage(body))
		require.NoError(t, err, body)
		assert.Equal(t, want.graceful, request.Graceful(), body)
		assert.Equal(t, want.wait, request.GracePeriod(), body)
	}
	_, err := lcmtest.Read[lcm.TerminateRequest](json.RawMessage(`{"terminationType":3}`))
	assert.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
}
