package descriptor_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestVnfd_survivesItsStorageAsJSON(t *testing.T) {
	v := vnfpkgtest.Minimal().Open(t).Vnfd
	text, err := json.Marshal(v)
	require.NoError(t, err)

	var again descriptor.Vnfd
	require.NoError(t, json.Unmarshal(text, &again))

	require.Equal(t, v, again)
}
