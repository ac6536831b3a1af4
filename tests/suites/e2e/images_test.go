package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

const formerImage, newImage = "debian-12-k8s", "debian-12-services"

// otherImages changes the package of an instantiated VNF to one with other software images. VMs keep the former image,
// and a scale-out also uses it. A heal of the entire VNF uses the new image.
func otherImages(t *testing.T, b *bed) {
	vnf, op := b.Instantiate(t, "images", testbed.Impatient)
	b.Await(t, op, quick, "COMPLETED")
	before := imagesOf(t, b)
	require.Len(t, before, 5)
	next := onboardVariant(t, b)

	a := b.Call(t, http.MethodPatch, "/vnflcm/v1/vnf_instances/"+vnf, map[string]any{"vnfdId": serverVnfd(t, b)})
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a), "in software images only")

	op = b.Modify(t, vnf, map[string]any{"vnfdId": next})
	changed := b.Await(t, op, quick, "COMPLETED")["changedInfo"].(map[string]any)
	require.Equal(t, next, changed["vnfdId"])
	require.Equal(t, next, b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["vnfdId"])
	require.Equal(t, before, imagesOf(t, b))

	op = b.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	b.Await(t, op, quick, "COMPLETED")
	after := imagesOf(t, b)
	require.Len(t, after, 6)
	for id := range before {
		require.Contains(t, after, id, "a server that was there has been made anew")
	}
	require.Equal(t, []string{formerImage}, slices.Compact(slices.Sorted(maps.Values(after))))
	b.RequireConsistent(t, vnf)

	op = b.Heal(t, vnf)
	b.Await(t, op, quick, "COMPLETED")
	healed := imagesOf(t, b)
	require.Len(t, healed, 6)
	require.Equal(t, []string{newImage}, slices.Compact(slices.Sorted(maps.Values(healed))))
	op = b.Scale(t, vnf, "SCALE_IN", "worker_instance")
	b.Await(t, op, quick, "COMPLETED")
	for id, image := range imagesOf(t, b) {
		require.Equal(t, newImage, image)
		require.Contains(t, healed, id)
	}
	b.Await(t, b.Remove(t, vnf), quick, "COMPLETED")
	b.RequireNothingLeft(t)
}

// onboardVariant on-boards the sample package with another image, and returns its VNFD's id.
func onboardVariant(t *testing.T, b *bed) string {
	t.Helper()
	dir, id := t.TempDir(), uuid.NewString()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples/k8s-ha"))))
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "Definitions"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			changed := strings.NewReplacer(testbed.VnfdID, id, "name: "+formerImage, "name: "+newImage).Replace(string(text))
			return os.WriteFile(path, []byte(changed), 0o600)
		}))
	var archive bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &archive))
	file := filepath.Join(t.TempDir(), "variant.zip")
	require.NoError(t, os.WriteFile(file, archive.Bytes(), 0o600))
	b.Onboard(t, file)
	return id
}

// serverVnfd on-boards a package of another VNF, and returns its VNFD's id.
func serverVnfd(t *testing.T, b *bed) string {
	t.Helper()
	archive := anotherServer(t, b)
	file := filepath.Join(t.TempDir(), "server.zip")
	require.NoError(t, os.WriteFile(file, archive.Bytes(), 0o600))
	out, err := b.Windlass(t.Context(), "package", "create", file, "-o", "json").Output()
	require.NoError(t, err, "%s", out)
	var made struct {
		ID     string `json:"id"`
		VnfdID string `json:"vnfdId"`
	}
	require.NoError(t, json.Unmarshal(out, &made), "%s", out)
	t.Cleanup(func() { // another scenario on-boards it, too
		out, err := b.Windlass(context.WithoutCancel(t.Context()), "package", "delete", made.ID).CombinedOutput()
		require.NoError(t, err, "%s", out)
	})
	return made.VnfdID
}

// imagesOf returns the names of the images of all servers, by the servers' ids.
func imagesOf(t *testing.T, b *bed) map[string]string {
	t.Helper()
	login := b.Cloud.Login()
	provider, err := login.Client(t.Context())
	require.NoError(t, err)
	nova, err := openstack.NewComputeV2(provider, login.Endpoint())
	require.NoError(t, err)
	glance, err := openstack.NewImageV2(provider, login.Endpoint())
	require.NoError(t, err)
	pages, err := images.List(glance, nil).AllPages(t.Context())
	require.NoError(t, err)
	known, err := images.ExtractImages(pages)
	require.NoError(t, err)
	names := map[string]string{}
	for _, image := range known {
		names[image.ID] = image.Name
	}
	pages, err = servers.List(nova, nil).AllPages(t.Context())
	require.NoError(t, err)
	there, err := servers.ExtractServers(pages)
	require.NoError(t, err)
	out := map[string]string{}
	for _, server := range there {
		id, _ := server.Image["id"].(string)
		out[server.ID] = names[id]
	}
	return out
}
