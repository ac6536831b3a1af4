package vnfpkgm

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// softwareImageView is VnfPackageSoftwareImageInfo (SOL005 clause 9.5.3.2).
type softwareImageView struct {
	ID              string       `json:"id"`
	Name            string       `json:"name"`
	Provider        string       `json:"provider"`
	Version         string       `json:"version"`
	Checksum        checksumView `json:"checksum"`
	ContainerFormat string       `json:"containerFormat"`
	DiskFormat      string       `json:"diskFormat"`
	CreatedAt       time.Time    `json:"createdAt"`
	MinDisk         int64        `json:"minDisk"`
	MinRAM          int64        `json:"minRam"`
	Size            int64        `json:"size"`
	ImagePath       string       `json:"imagePath"`
}

// imagesOf are the images that the package's VDUs and storages name, each once by its node's id.
func imagesOf(p lcm.VnfPkg) (out []softwareImageView) {
	if p.OnboardingState != lcm.PkgOnboarded || len(p.Vnfd) == 0 {
		return nil
	}
	var vnfd descriptor.Vnfd
	if json.Unmarshal(p.Vnfd, &vnfd) != nil {
		return nil // an instantiation reports it
	}
	add := func(id string, image *descriptor.SwImage) {
		same := func(v softwareImageView) bool { return v.ID == id }
		if image == nil || slices.ContainsFunc(out, same) {
			return
		}
		diskFormat := strings.ToUpper(image.DiskFormat)
		if diskFormat == "" && image.ContainerFormat == "docker" {
			diskFormat = "RAW" // such an image has none, and the clause wants one
		}
		out = append(out, softwareImageView{
			ID: id, Name: image.Name, Provider: p.Provider, Version: image.Version,
			Checksum:        checksumView{image.ChecksumAlgorithm, image.ChecksumHash},
			ContainerFormat: strings.ToUpper(image.ContainerFormat), DiskFormat: diskFormat,
			CreatedAt: p.Updated.UTC(),
			MinDisk:   bytesIn(image.MinDisk), MinRAM: bytesIn(image.MinRAM), Size: bytesIn(image.Size), ImagePath: image.File,
		})
	}
	for _, f := range vnfd.Flavours {
		for _, vdu := range f.Vdus {
			add(vdu.ID, vdu.Image)
			images := vdu.ContainerImages()
			for _, id := range slices.Sorted(maps.Keys(images)) {
				add(id, images[id])
			}
		}
		for _, s := range f.Storages {
			add(s.ID, s.Image)
		}
	}
	return out
}

// units are the units of scalar-unit.size (TOSCA simple profile 1.2 clause 3.3.6.4.1).
var units = map[string]float64{
	"B": 1, "KB": 1e3, "KIB": 1 << 10, "MB": 1e6, "MIB": 1 << 20, "GB": 1e9, "GIB": 1 << 30, "TB": 1e12, "TIB": 1 << 40,
}

// bytesIn reads a size such as "2 GB"; 0 when it is none.
func bytesIn(size string) int64 {
	number, unit := strings.TrimSpace(size), "B"
	if i := strings.IndexFunc(number, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i >= 0 {
		number, unit = strings.TrimSpace(number[:i]), strings.ToUpper(strings.TrimSpace(number[i:]))
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	return int64(n * units[unit])
}
