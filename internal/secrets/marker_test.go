package secrets

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func markers(tb testing.TB) *Vault {
	file := filepath.Join(tb.TempDir(), "keys")
	require.NoError(tb, GenerateKeyFile(tb.Context(), file, nil))
	k, err := LoadKeyring(tb.Context(), Source{File: file})
	require.NoError(tb, err)
	return NewVault(k, nil)
}

func TestMarker_opensForItsPurposeOnly(t *testing.T) {
	v := markers(t)
	marker, err := v.SealMarker("/vnflcm/v1/vnf_instances", "id-1")
	require.NoError(t, err)
	require.NotContains(t, marker, "id-1")
	clear, err := v.OpenMarker("/vnflcm/v1/vnf_instances", marker)
	require.NoError(t, err)
	require.Equal(t, "id-1", clear)
	for _, bad := range []string{"", ".", "x", marker + "A", marker[:len(marker)-2], "A" + marker} {
		_, err := v.OpenMarker("/vnflcm/v1/vnf_instances", bad)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%q: %v", bad, err)
	}
	_, err = v.OpenMarker("/vnflcm/v2/vnf_instances", marker)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	_, err = markers(t).OpenMarker("/vnflcm/v1/vnf_instances", marker)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "another installation's: %v", err)
}

func FuzzMarker(f *testing.F) {
	v := markers(f)
	good, err := v.SealMarker("p", "x")
	require.NoError(f, err)
	f.Add(good)
	f.Add("YQ.YQ")
	f.Fuzz(func(t *testing.T, marker string) {
		if clear, err := v.OpenMarker("p", marker); err == nil {
			require.Equal(t, "x", clear)
		}
	})
}
