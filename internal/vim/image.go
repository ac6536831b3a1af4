package vim

import (
	"context"
	"io"
)

// ImageStore keeps the software images of which deployments are made. Many VNFs of one package share an image.
type ImageStore interface {
	// KeepImage lets there be an image of that name. One that is there is taken as it is, whoever has made it; else open
	// is asked for the content. The image stays for as long as user, or another user, needs it.
	KeepImage(
		ctx context.Context, image Image, user string, open func() (io.ReadCloser, error), progress func(string),
	) error
	// ReleaseImages tells that user needs no image any more. Those that KeepImage has made are deleted with their last
	// user.
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
