package vnfpkg

import (
	"cmp"
	"slices"
)

// PackagedImage is an image of VMs that the package carries.
type PackagedImage struct {
	*SwImage
	// Of are the ids of the VDUs and storages that have it.
	Of []string
}

// PackagedImages are the images of VMs and of their volumes that the package carries, each name once. An image without
// a name is none of them: nobody could find it.
func (f *Flavour) PackagedImages() (out []PackagedImage) {
	if f == nil {
		return nil
	}
	add := func(id string, image *SwImage) {
		if image == nil || image.File == "" || image.Name == "" {
			return
		}
		at := slices.IndexFunc(out, func(p PackagedImage) bool { return p.Name == image.Name })
		if at < 0 {
			out = append(out, PackagedImage{SwImage: image, Of: []string{id}})
			return
		}
		out[at].Of = append(out[at].Of, id)
	}
	for _, v := range f.Vdus {
		if !v.Containers && v.Pod == nil {
			add(v.ID, v.Image)
		}
	}
	for _, s := range f.Storages {
		add(s.ID, s.Image)
	}
	return out
}

// MinDiskGB is how large the disk of a VM of the image must be at least, 0 for any.
func (i *SwImage) MinDiskGB() int { return gigabytesOf(i.MinDisk) }

// MinRAMMB is how much memory a VM of the image needs at least, 0 for any.
func (i *SwImage) MinRAMMB() int { return mebibytesOf(i.MinRAM) }

// Formats are Glance's words for the formats of the image; what the VNFD does not say is what most images are.
func (i *SwImage) Formats() (disk, container string) {
	return cmp.Or(i.DiskFormat, "qcow2"), cmp.Or(i.ContainerFormat, "bare")
}
