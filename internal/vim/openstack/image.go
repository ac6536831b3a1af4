package openstack

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Tags of images that Windlass has made: one for all of them, and one for each user.
const (
	ourImage   = "windlass-image"
	userOfIt   = "windlass-user-"
	needGlance = "The VNF package has images, but the catalog of the VIM has no image (Glance) endpoint: upload the " +
		"images under their names yourself, or register the VIM with an account that sees Glance."
)

// KeepImage implements vim.ImageStore.
//
// It finds an image by its name. An interrupted upload leaves nothing, as Glance accepts the content of an image only
// once. When two VNFs upload an image of the same name at the same time, the older one stays.
func (c *Cloud) KeepImage(
	ctx context.Context, image vim.Image, user string, open func() (io.ReadCloser, error), progress func(string),
) error {
	if c.images == nil {
		return lcm.Errorf(lcm.KindInvalid, needGlance)
	}
	u := &upload{cloud: c, image: image, user: userOfIt + user, open: open, progress: progress}
	for {
		have, err := u.oldest(ctx)
		if err != nil {
			return err
		}
		if have != nil && (have.Status == images.ImageStatusActive || !u.brokenOff(have)) {
			done, err := u.take(ctx, have)
			if done || err != nil {
				return err
			}
			continue
		}
		if have != nil {
			if err := c.deleteImage(ctx, have.ID); err != nil {
				return err
			}
		}
		if err := u.make(ctx); err != nil {
			return err
		}
	}
}

// onItsWay are the states of an image that is receiving its content.
var onItsWay = []images.ImageStatus{images.ImageStatusQueued, images.ImageStatusSaving, images.ImageStatusImporting}

// upload is the upload of one image into Glance.
type upload struct {
	cloud    *Cloud
	image    vim.Image
	user     string // as a tag
	open     func() (io.ReadCloser, error)
	progress func(string)
	waited   time.Duration
}

// oldest returns the image of that name to use, nil for none. Images that somebody else made come first.
func (u *upload) oldest(ctx context.Context) (*images.Image, error) {
	list, err := u.cloud.listImages(ctx, images.ListOpts{Name: u.image.Name})
	list = slices.DeleteFunc(list, func(i images.Image) bool { return !isOurs(i) && i.Status != images.ImageStatusActive })
	if err != nil || len(list) == 0 {
		return nil, err
	}
	slices.SortFunc(list, func(a, b images.Image) int {
		if ours := isOurs(a); ours != isOurs(b) {
			if ours {
				return 1
			}
			return -1
		}
		if d := a.CreatedAt.Compare(b.CreatedAt); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return &list[0], u.dropYounger(ctx, list[1:])
}

// dropYounger deletes images of our name that only this user made.
func (u *upload) dropYounger(ctx context.Context, list []images.Image) error {
	for _, i := range list {
		if isOurs(i) && len(usersOf(i)) == 1 && slices.Contains(i.Tags, u.user) {
			if err := u.cloud.deleteImage(ctx, i.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func isOurs(i images.Image) bool { return slices.Contains(i.Tags, ourImage) }

// usersOf returns the tags of the users of our image.
func usersOf(i images.Image) (out []string) {
	for _, tag := range i.Tags {
		if strings.HasPrefix(tag, userOfIt) {
			out = append(out, tag)
		}
	}
	return out
}

// brokenOff reports that an earlier attempt of this user left the image without its content.
func (u *upload) brokenOff(i *images.Image) bool {
	return isOurs(*i) && slices.Contains(i.Tags, u.user) && len(usersOf(*i)) == 1
}

// take adds this user to an existing image, and waits until it has its content. It is false when the image is gone.
func (u *upload) take(ctx context.Context, i *images.Image) (done bool, err error) {
	if isOurs(*i) && !slices.Contains(i.Tags, u.user) {
		switch err := u.cloud.tagImage(ctx, i.ID, u.user); {
		case lcm.Is(err, lcm.KindNotFound):
			return false, nil // its last user released it in the meantime
		case err != nil:
			return false, err
		}
	}
	if i.Status == images.ImageStatusActive {
		u.progress("The image " + u.image.Name + " is in Glance already.")
		return true, nil
	}
	if !slices.Contains(onItsWay, i.Status) {
		return false, lcm.Errorf(lcm.KindConflict, "The image %s, which another VNF of Windlass uses too, is %s in Glance: "+
			"delete the image %s there, or make it active again.", u.image.Name, i.Status, i.ID)
	}
	if u.waited == 0 {
		u.progress("The image " + u.image.Name + " is in Glance, but " + string(i.Status) + ": somebody else uploads it.")
	}
	pause := u.cloud.timing.pause(u.waited)
	u.waited += pause
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-time.After(pause):
		return false, nil
	}
}

// make makes the image with its content.
func (u *upload) make(ctx context.Context) error {
	content, err := u.open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	private := images.ImageVisibilityPrivate
	doing := "make the image " + u.image.Name
	made, err := images.Create(ctx, u.cloud.images, images.CreateOpts{
		Name: u.image.Name, Tags: []string{ourImage, u.user}, Visibility: &private, DiskFormat: u.image.DiskFormat,
		ContainerFormat: u.image.ContainerFormat, MinDisk: u.image.MinDisk, MinRAM: u.image.MinRAM,
	}).Extract()
	if err != nil {
		return translate(doing, err)
	}
	u.progress("Uploading the image " + u.image.Name + ".")
	return u.cloud.sendImage(ctx, made.ID, u.image.Size, content, "upload the image "+u.image.Name)
}

// ReleaseImages implements vim.ImageStore.
func (c *Cloud) ReleaseImages(ctx context.Context, user string, progress func(string)) error {
	if c.images == nil {
		return nil
	}
	user = userOfIt + user
	list, err := c.listImages(ctx, images.ListOpts{Tags: []string{user}})
	if err != nil {
		return err
	}
	for _, i := range list {
		if !isOurs(i) || !slices.Contains(i.Tags, user) {
			continue
		}
		if err := c.releaseImage(ctx, i, user, progress); err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return err
		}
	}
	return nil
}

// releaseImage removes a user from an image, and deletes the image when that was the last user.
func (c *Cloud) releaseImage(ctx context.Context, i images.Image, user string, progress func(string)) error {
	if len(usersOf(i)) > 1 {
		_, err := c.images.Delete(ctx, c.images.ServiceURL("images", i.ID, "tags", user), nil) //nolint:bodyclose // there is none
		if err != nil {
			return translate("release the image "+i.Name, err)
		}
		now, err := images.Get(ctx, c.images, i.ID).Extract()
		if err != nil {
			return translate("look at the image "+i.Name, err)
		}
		if len(usersOf(*now)) > 0 {
			return nil
		}
	}
	// The last user's tag stays until the image is gone, so that a repeated call finds the image.
	progress("Deleting the image " + i.Name + ": nobody else uses it.")
	return c.deleteImage(ctx, i.ID)
}

func (c *Cloud) tagImage(ctx context.Context, id, tag string) error {
	_, err := c.images.Put(ctx, c.images.ServiceURL("images", id, "tags", tag), nil, nil, //nolint:bodyclose // there is none
		&gophercloud.RequestOpts{OkCodes: []int{http.StatusNoContent}})
	return translate("use the image "+id, err)
}

// deleteImage treats a missing image as deleted.
func (c *Cloud) deleteImage(ctx context.Context, id string) error {
	err := translate("delete the image "+id, images.Delete(ctx, c.images, id).ExtractErr())
	if lcm.Is(err, lcm.KindNotFound) {
		return nil
	}
	return err
}

func (c *Cloud) listImages(ctx context.Context, which images.ListOpts) ([]images.Image, error) {
	return listed(ctx, "list the images", images.List(c.images, which), images.ExtractImages)
}
