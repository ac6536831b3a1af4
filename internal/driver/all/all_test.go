package all_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/params"
)

// TestDrivers_describeTheMemberThatTheyRead checks that a driver reads the member of additionalParams that it tells
// people of, and that the member has parameters.
func TestDrivers_describeTheMemberThatTheyRead(t *testing.T) {
	for _, d := range all.Drivers {
		of := d.Describe()
		require.NotEmpty(t, params.Describe(of.Params), "%s", d.Name())
		_, wrong := d.Bind(json.RawMessage(`{"` + of.Member + `": 7}`))
		require.Len(t, wrong.Types, 1, "%s", d.Name())
		require.Equal(t, "$.additionalParams."+of.Member, wrong.Types[0].Path, "%s", d.Name())
	}
}
