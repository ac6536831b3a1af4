package worker

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// PackagedImages implements activities.PackagedImages.
func (f facts) PackagedImages(
	ctx context.Context, id lcm.OpOccID, each func(resources.PackagedImage) error,
) (err error) {
	op, err := f.Load(ctx, id)
	if err != nil {
		return err
	}
	content, size, err := f.Store.PackageContent(ctx, op.Instance.VnfPkgID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	for _, image := range op.Flavour.PackagedImages() {
		if !slices.ContainsFunc(image.Of, func(id string) bool { return op.Choices.Images[id] == "" }) {
			continue
		}
		file, err := archive.OpenFile(content, size, image.File)
		if err != nil {
			return err
		}
		disk, container := image.Formats()
		err = each(resources.PackagedImage{
			Image: vim.Image{
				Name: image.Name, DiskFormat: disk, ContainerFormat: container, MinDisk: image.MinDiskGB(),
				MinRAM: image.MinRAMMB(), Size: file.Size(),
			},
			Open: func() (io.ReadCloser, error) {
				_, err := file.Seek(0, io.SeekStart)
				return file, err
			},
		})
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}
