package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

const (
	imageVnfdID = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e13"
	imageName   = "image-of-the-package"
	content     = "the bits of a disk"
)

// packagedImages makes VNFs of a package that contains its image. Windlass uploads the image once, and deletes it with
// the last VNF.
func packagedImages(t *testing.T, b *bed) {
	b.onboardWithImage(t)
	b.Fault(t, map[string]any{"service": "glance", "method": "PUT", "status": 503, "count": 1})
	first, op := b.withImage(t, "first")
	b.Await(t, op, quick, "COMPLETED")
	require.Len(t, b.imagesNamed(t), 1, "the upload that broke off left an image behind")
	require.EqualValues(t, len(content), b.imagesNamed(t)[0].SizeBytes)

	second, op := b.withImage(t, "second")
	b.Await(t, op, quick, "COMPLETED")
	require.Len(t, b.imagesNamed(t), 1)
	b.Await(t, b.Remove(t, first), quick, "COMPLETED")
	require.Len(t, b.imagesNamed(t), 1, "the second VNF needs it")
	op = b.Heal(t, second)
	b.Await(t, op, quick, "COMPLETED")
	b.Await(t, b.Remove(t, second), quick, "COMPLETED")
	require.Empty(t, b.imagesNamed(t))

	b.Fault(t, map[string]any{"resource": "VDU1", "action": "CREATE", "count": 1, "message": "no room"})
	_, op = b.withImage(t, "third")
	b.Await(t, op, quick, "FAILED_TEMP")
	require.Len(t, b.imagesNamed(t), 1)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	require.Empty(t, b.imagesNamed(t))
	b.RequireNothingLeft(t)
}

// onboardWithImage on-boards a package with a server that contains the image of the server.
func (b *bed) onboardWithImage(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, testbed.ServerPackage))))
	definitions, err := filepath.Glob(filepath.Join(dir, "Definitions", "*.yaml"))
	require.NoError(t, err)
	for _, file := range definitions {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		changed := strings.NewReplacer(testbed.ServerVnfdID, imageVnfdID, "name: tiny", "name: "+imageName,
			"      capabilities:\n        virtual_compute:", "      artifacts:\n        sw_image:\n"+
				"          type: tosca.artifacts.nfv.SwImage\n          file: ../Files/images/server.img\n"+
				"      capabilities:\n        virtual_compute:").Replace(string(text))
		require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "Files", "images"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files", "images", "server.img"), []byte(content), 0o600))
	var archive bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &archive))
	file := filepath.Join(t.TempDir(), "image.zip")
	require.NoError(t, os.WriteFile(file, archive.Bytes(), 0o600))
	b.Onboard(t, file)
}

// withImage begins to instantiate a VNF of that package.
func (b *bed) withImage(t *testing.T, name string) (vnf, op string) {
	t.Helper()
	vnf = b.CreateOf(t, imageVnfdID, name)
	request := testbed.LinksTo("net0")
	request["flavourId"] = "simple"
	request["vimConnectionInfo"] = b.OnOpenStack()
	return vnf, b.Begin(t, vnf, "instantiate", request)
}

// imagesNamed returns the images of that name in Glance.
func (b *bed) imagesNamed(t *testing.T) []images.Image {
	t.Helper()
	glance := testbed.Service(t, b.Cloud.Login(), openstack.NewImageV2)
	pages, err := images.List(glance, images.ListOpts{Name: imageName}).AllPages(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
	list, err := images.ExtractImages(pages)
	require.NoError(t, err)
	return list
}
