package lcm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestDecisionsAfter_beginWithTheMostLikely(t *testing.T) {
	broken, invalid := lcm.Errorf(lcm.KindBroken, "cp-1 broke."), lcm.Errorf(lcm.KindInvalid, "No such flavor.")
	for name, c := range map[string]struct {
		cause       *lcm.Error
		canRollBack bool
		want        []lcm.Action
	}{
		"a retry may help":           {broken, true, []lcm.Action{lcm.Retry, lcm.Rollback, lcm.Fail}},
		"no error is known":          {nil, true, []lcm.Action{lcm.Retry, lcm.Rollback, lcm.Fail}},
		"only another request helps": {invalid, true, []lcm.Action{lcm.Rollback, lcm.Retry, lcm.Fail}},
		"there is no way back":       {invalid, false, []lcm.Action{lcm.Retry, lcm.Fail}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []lcm.Action
			for _, d := range lcm.DecisionsAfter(c.cause, c.canRollBack) {
				require.NotEmpty(t, d.Purpose)
				got = append(got, d.Action)
			}
			require.Equal(t, c.want, got)
		})
	}
}
