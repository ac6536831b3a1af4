package openstack

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/image"
	"github.com/windlass-nfv/windlass/deployments/lab/machine/nspawn"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/openstacktest"
)

func TestContract_labWithRealMachines(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not run: real machines need root")
	}
	images := image.Options{Dir: image.DefaultDir}
	if dir := os.Getenv("WINDLASS_LAB_IMAGE_DIR"); dir != "" {
		images.Dir = dir
	}
	img, ok := image.Find(images)
	if !ok {
		t.Skipf("not run: no node image of this source in %s; WINDLASS_LAB_BUILD_IMAGE=%[1]s go test "+
			"-C deployments/lab ./image builds it", images.Dir)
	}
	dir, err := os.MkdirTemp("/var/tmp", "windlass-contract-") // machines can hard link to the image's files
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	machines, err := nspawn.New(nspawn.Options{StateDir: dir, Image: img})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, machines.Down(context.WithoutCancel(t.Context())))
		require.NoError(t, machines.Close())
	})
	free, err := nspawn.FreeSubnets(t.Context(), 2)
	require.NoError(t, err)
	cloud := labCloud(t, machines, free[0], free[1])
	cloud.Patience = 2 * time.Minute
	cloud.SizeOf = diskOf("debian", cloud.Patience)
	openstacktest.Run(t, cloud)
}
