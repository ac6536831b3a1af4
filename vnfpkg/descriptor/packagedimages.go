package descriptor

import (
	"cmp"
	"slices"
)

// PackagedImage is a VM image in the package.
type PackagedImage struct {
	*SwImage
	// Of are the ids of the VDUs and storages that use it.
	Of []string
}

// PackagedImages are the images in the package for VMs and their volumes, each name once. They exclude an image without
// a name, because nobody could find it in the VIM.
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

// MinDiskGB is the smallest disk of a VM with the image, 0 for any.
func (i *SwImage) MinDiskGB() int { return GigabytesOf(i.MinDisk) }

// MinRAMMB is the smallest memory of a VM with the image, 0 for any.
func (i *SwImage) MinRAMMB() int { return MebibytesOf(i.MinRAM) }

// Formats are Glance's names for the formats of the image; where the VNFD gives none, the most usual ones.
func (i *SwImage) Formats() (disk, container string) {
	return cmp.Or(i.DiskFormat, "qcow2"), cmp.Or(i.ContainerFormat, "bare")
}
