package resources

import (
	"context"
	"io"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// PackagedImage is an image of the VNF package of an operation.
type PackagedImage struct {
	vim.Image
	// Open begins to read it.
	Open func() (io.ReadCloser, error)
}

// PackagedImages knows the images of VMs that the package of an operation carries.
type PackagedImages interface {
	// PackagedImages leaves out images that the NFVO has replaced in its grant.
	PackagedImages(ctx context.Context, id lcm.OpOccID, each func(PackagedImage) error) error
}

// Images brings the images of VNF packages to the VIM.
type Images struct {
	VIMs        VIMs
	Deployments Deployments
	Packages    PackagedImages
	Output      activities.Output
}

// ImagesOutput is empty.
type ImagesOutput struct{}

// UploadImages uploads the images of the VNF's package to the VIM.
//
// Idempotent: it finds an image by its name, and repeats an interrupted upload. Takes as long as the upload, so it
// heartbeats. A cancel aborts the upload.
func (i *Images) UploadImages(ctx context.Context, in DeploymentInput) (out ImagesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "upload the images of the package", err) }()
	defer activities.Heartbeat(ctx)()
	store, owner, err := i.store(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	show := i.Output.Lines(ctx, in.Step)
	return out, i.Packages.PackagedImages(ctx, in.OpOccID, func(image PackagedImage) error {
		return store.KeepImage(ctx, image.Image, owner, image.Open, show)
	})
}

// ReleaseImages tells the VIM that the VNF needs no image any more. It deletes the images that Windlass has uploaded
// and no other VNF uses.
//
// Idempotent: a deleted image stays deleted.
func (i *Images) ReleaseImages(ctx context.Context, in DeploymentInput) (out ImagesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "delete the images of the package", err) }()
	defer activities.Heartbeat(ctx)()
	store, owner, err := i.store(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	return out, store.ReleaseImages(ctx, owner, i.Output.Lines(ctx, in.Step))
}

func (i *Images) store(ctx context.Context, id lcm.OpOccID) (store vim.ImageStore, owner string, err error) {
	on, err := i.VIMs.VIM(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if store, err = vim.As[vim.ImageStore](on, "store the images of the VNF package"); err != nil {
		return nil, "", err
	}
	_, owner, err = i.Deployments.DeploymentName(ctx, id)
	return store, owner, err
}
