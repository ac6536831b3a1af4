package deployments

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/vim"
)

func TestRemovalOf(t *testing.T) {
	none, minute := time.Duration(0), time.Minute
	for _, c := range []struct {
		op     lcm.Operation
		params string
		want   vim.Removal
	}{
		{lcm.OpTerminate, `{"terminationType":"FORCEFUL"}`, vim.Removal{Grace: &none, Timeout: removalTimeout}},
		{lcm.OpTerminate, `{"terminationType":"GRACEFUL"}`, vim.Removal{Timeout: 2*time.Hour + removalTimeout}},
		{
			lcm.OpTerminate, `{"terminationType":"GRACEFUL","gracefulTerminationTimeout":60}`,
			vim.Removal{Grace: &minute, Timeout: time.Minute + removalTimeout},
		},
		{
			lcm.OpTerminate, `{"terminationType":"FORCEFUL","additionalParams":{"claims":"keep"}}`,
			vim.Removal{Grace: &none, Timeout: removalTimeout, Volumes: vim.VolumesStay},
		},
		{
			lcm.OpTerminate, `{"terminationType":"FORCEFUL","additionalParams":{"claims":"delete"}}`,
			vim.Removal{Grace: &none, Timeout: removalTimeout},
		},
		{
			lcm.OpTerminate, `{"terminationType":"FORCEFUL","additionalParams":{"patience":30}}`,
			vim.Removal{Grace: &none, Timeout: 30 * time.Second},
		},
		{
			lcm.OpTerminate, `{"terminationType":"GRACEFUL","gracefulTerminationTimeout":60,"additionalParams":{"patience":30}}`,
			vim.Removal{Grace: &minute, Timeout: 90 * time.Second},
		},
		{lcm.OpHeal, `{}`, vim.Removal{Volumes: vim.VolumesStay, Timeout: defaultTimeout}},
		{lcm.OpHeal, `{"additionalParams":{"all":true}}`, vim.Removal{Timeout: defaultTimeout}},
		{lcm.OpHeal, `{"additionalParams":{"keep_volumes":false}}`, vim.Removal{Timeout: defaultTimeout}},
		{lcm.OpInstantiate, `{}`, vim.Removal{Volumes: vim.FormerVolumesStay, Timeout: defaultTimeout}},
	} {
		r, err := lcmtest.Any(c.op, json.RawMessage(c.params))
		require.NoError(t, err)
		require.Equal(t, c.want, removalOf(r), "%s %s", c.op, c.params)
	}
}
