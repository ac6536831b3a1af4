package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestPackagedImages_areThoseOfVMsWithANameAndAFile(t *testing.T) {
	image := func(name, file string) *descriptor.SwImage {
		return &descriptor.SwImage{Name: name, File: file, MinDisk: "10 GiB", MinRAM: "8192 MB"}
	}
	flavour := &descriptor.Flavour{
		Vdus: []descriptor.Vdu{
			{ID: "one", Image: image("debian", "Files/images/debian.img")},
			{ID: "two", Image: image("debian", "Files/images/debian.img")},
			{ID: "three", Image: image("in the VIM", "")},
			{ID: "four", Image: image("", "Files/images/nameless.img")},
			{ID: "pods", Image: image("nginx", "Files/images/nginx.tar"), Containers: true},
			{ID: "none"},
		},
		Storages: []descriptor.VirtualStorage{{ID: "disk", Image: image("volume", "Files/images/volume.img")}, {ID: "empty"}},
	}
	got := flavour.PackagedImages()
	require.Len(t, got, 2)
	require.Equal(t, "debian", got[0].Name)
	require.Equal(t, []string{"one", "two"}, got[0].Of)
	require.Equal(t, []string{"disk"}, got[1].Of)
	require.Equal(t, 10, got[0].MinDiskGB())
	require.Equal(t, 8192, got[0].MinRAMMB())
	disk, container := got[0].Formats()
	require.Equal(t, []string{"qcow2", "bare"}, []string{disk, container})
	require.Empty(t, (*descriptor.Flavour)(nil).PackagedImages())
}
