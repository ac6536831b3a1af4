package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestFlavour_scaleStatusOfALevel(t *testing.T) {
	f := &vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0]

	require.Equal(t, []lcm.ScaleInfo{{AspectID: "workers"}}, f.ScaleStatus(""))
	require.Equal(t, []lcm.ScaleInfo{{AspectID: "workers", ScaleLevel: 2}}, f.ScaleStatus("high"))
	require.Equal(t, []lcm.ScaleInfo{{AspectID: "workers", ScaleLevel: 3}}, f.MaxScaleLevels())
}

func TestFlavour_findsTheVdusOfARole(t *testing.T) {
	f := &vnfpkgtest.Minimal().Open(t).Vnfd.Flavours[0]
	simple, err := vnfpkgtest.Sample(t, "k8s-ha").Vnfd.Flavour("simple")
	require.NoError(t, err)

	require.Equal(t, []string{"node"}, f.VdusOf("", "unknown", "node_CP"))
	require.Equal(t, []string{"node"}, f.VdusOf("workers"))
	require.Equal(t, []string{"masterNode"}, simple.VdusOf("master_instance"), "a group that no aspect scales")
	require.Empty(t, f.VdusOf("masters"))
}
