package vimtest

import (
	"bytes"
	"io"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// keepsImages checks that two VNFs can share an image, on a VIM that stores images.
func (s *site) keepsImages() {
	store, err := vim.As[vim.ImageStore](s.VIM, "keep images")
	if err != nil {
		s.isKind(lcm.KindInvalid, err)
		return
	}
	content := []byte("the image of the test " + s.Name)
	image := vim.Image{
		Name: s.Name + "-image", DiskFormat: "raw", ContainerFormat: "bare", MinDisk: 1, MinRAM: 64, Size: int64(len(content)),
	}
	opened := 0
	keep := func(user string) {
		require.NoError(s, store.KeepImage(s.ctx(), image, user, func() (io.ReadCloser, error) {
			opened++
			return io.NopCloser(bytes.NewReader(content)), nil
		}, silent))
	}
	release := func(user string) {
		for range 2 {
			require.NoError(s, store.ReleaseImages(s.ctx(), user, silent))
		}
	}
	for range 2 {
		keep(owner)
		keep(other)
	}
	require.Equal(s, 1, opened, "it is uploaded once")
	release(owner)
	keep(other)
	require.Equal(s, 1, opened, "it stays for the other one")
	release(other)
	keep(owner)
	require.Equal(s, 2, opened, "it went with its last user")
	release(owner)
}
