package vim

import (
	"context"
	"io"
)

// ImageStore keeps software images for deployments. Many VNFs of one package share an image.
type ImageStore interface {
	// KeepImage makes sure that an image of that name exists. It uses an existing image as it is, even if somebody else
	// made it. Otherwise it reads the content from open. The image stays while user, or another user, needs it.
	KeepImage(
		ctx context.Context, image Image, user string, open func() (io.ReadCloser, error), progress func(string),
	) error
	// ReleaseImages records that user needs no image any more. An image that KeepImage made is deleted when its last user
	// releases it.
	ReleaseImages(ctx context.Context, user string, progress func(string)) error
}

// Image is a software image of a VNF package (SOL001 clause 6.8.1, sw_image_data).
type Image struct {
	Name string
	// DiskFormat and ContainerFormat are the VIM's words, e.g. qcow2 and bare.
	DiskFormat, ContainerFormat string
	MinDisk                     int // in GB
	MinRAM                      int // in MB
	Size                        int64
}
