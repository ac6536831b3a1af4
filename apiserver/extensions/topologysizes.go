package extensions

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// sizeView is what a VNFC was asked for: by its NFVO, by the request, or by the VNFD.
type sizeView struct {
	// ComputeFlavour and Image are names or ids in the VIM. VirtualCpus and VirtualMemory are the VNFD's.
	ComputeFlavour string `json:"computeFlavour,omitempty"`
	Image          string `json:"image,omitempty"`
	VirtualCpus    int    `json:"virtualCpus,omitempty"`
	VirtualMemory  string `json:"virtualMemory,omitempty"`
}

// aspectView is a scaling aspect with the number of its VNFCs.
type aspectView struct {
	AspectID      string `json:"aspectId"`
	Description   string `json:"description,omitempty"`
	ScaleLevel    int    `json:"scaleLevel"`
	MaxScaleLevel *int   `json:"maxScaleLevel,omitempty"`
	// VduIDs are the VDUs that the aspect scales, Vnfcs the number of their VNFCs at present.
	VduIDs []string `json:"vduIds,omitempty"`
	Vnfcs  int      `json:"vnfcs"`
}

// flavourOf is the flavour of an instantiated VNF. It is empty if the package cannot be read: the topology then lacks
// what only the VNFD tells.
func (h *Handler) flavourOf(ctx context.Context, inst lcm.VnfInstance) *descriptor.Flavour {
	pkg, err := h.Store.Package(ctx, inst.VnfPkgID)
	if err != nil {
		return &descriptor.Flavour{}
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return &descriptor.Flavour{}
	}
	flavour, err := vnfd.Flavour(inst.Instantiated.FlavourID)
	if err != nil {
		return &descriptor.Flavour{}
	}
	return flavour
}

// describe adds what the record and the VNFD tell about sizes, networks and scaling.
func (v *topologyView) describe(inst lcm.VnfInstance, f *descriptor.Flavour) {
	i := inst.Instantiated
	v.VirtualIP = virtualIPOf(i, v.Endpoint)
	v.Networks = networksOf(i)
	asked := askedSizes(i.AdditionalParams)
	for _, r := range i.VnfcResources {
		at := slices.IndexFunc(v.Parts, func(p partView) bool { return p.VnfcInstanceID == inst.VnfcInfoID(r) })
		if at >= 0 {
			v.Parts[at].sizeView, v.Parts[at].Ports = sizeOf(r.VduID, i.Granted, asked, f), portsOf(i, r, f)
		}
	}
	v.Volumes = volumesOf(inst, f)
	v.Scaling = scalingOf(i, f)
}

// askedSizes are the entries nfv.VDU of a request's additionalParams: they win over all others.
func askedSizes(additionalParams json.RawMessage) map[string]map[string]any {
	var of struct {
		Nfv struct {
			VDU map[string]map[string]any `json:"VDU"`
		} `json:"nfv"`
	}
	_ = json.Unmarshal(additionalParams, &of) // without them there are none
	return of.Nfv.VDU
}

// sizeOf is the size of the VNFCs of a VDU.
func sizeOf(vdu string, granted *lcm.GrantedChoices, asked map[string]map[string]any, f *descriptor.Flavour) sizeView {
	choices := lcm.GrantedChoices{}
	if granted != nil {
		choices = *granted
	}
	text := func(keys ...string) string {
		for _, key := range keys {
			if s, ok := asked[vdu][key].(string); ok {
				return s
			}
		}
		return ""
	}
	v := sizeView{
		ComputeFlavour: cmp.Or(text("flavor", "computeFlavourId"), choices.ComputeFlavours[vdu]),
		Image:          cmp.Or(text("image", "vcImageId"), choices.Images[vdu], choices.KeptImages[vdu]),
	}
	if d, ok := f.Vdu(vdu); ok {
		v.ComputeFlavour, v.Image = cmp.Or(v.ComputeFlavour, d.ComputeFlavour), cmp.Or(v.Image, imageOf(d, f))
		v.VirtualCpus, v.VirtualMemory = d.VirtualCpus, d.VirtualMemory
	}
	return v
}

// imageOf is the image that the VNFD names for a VDU: its own, that of the volume that it boots from, or those of its
// containers.
func imageOf(vdu *descriptor.Vdu, f *descriptor.Flavour) string {
	if vdu.Image != nil {
		return vdu.Image.Name
	}
	for _, s := range f.Storages {
		if s.Image != nil && slices.Contains(vdu.Storages, s.ID) {
			return s.Image.Name
		}
	}
	var images []string
	if vdu.Pod != nil {
		for _, c := range vdu.Pod.Containers {
			if c.Software != nil {
				images = append(images, c.Software.Name)
			}
		}
	}
	return strings.Join(images, ", ")
}

// volumesOf are the volumes of a VNF, with the VNFCs that have them.
func volumesOf(inst lcm.VnfInstance, f *descriptor.Flavour) (out []volumeView) {
	for _, s := range inst.Instantiated.VirtualStorages {
		v := volumeView{ID: s.ID, VirtualStorageDescID: s.VirtualStorageDescID, ResourceID: s.StorageResource.ResourceID}
		for _, r := range inst.Instantiated.VnfcResources {
			if slices.Contains(r.StorageIDs, s.ID) {
				v.VnfcInstanceID = inst.VnfcInfoID(r)
			}
		}
		for _, d := range f.Storages {
			if d.ID == s.VirtualStorageDescID {
				v.Size = d.Size
			}
		}
		out = append(out, v)
	}
	return out
}

// scalingOf are the aspects of a VNF, in the order of its scale status.
func scalingOf(i *lcm.InstantiatedVnfInfo, f *descriptor.Flavour) (out []aspectView) {
	for _, s := range i.ScaleStatus {
		v := aspectView{AspectID: s.AspectID, ScaleLevel: s.ScaleLevel}
		for _, most := range i.MaxScaleLevels {
			if most.AspectID == s.AspectID {
				v.MaxScaleLevel = new(most.ScaleLevel)
			}
		}
		for _, a := range f.Aspects {
			if a.ID != s.AspectID {
				continue
			}
			v.Description = a.Description
			for vdu := range a.Deltas {
				v.VduIDs = append(v.VduIDs, vdu)
			}
			slices.Sort(v.VduIDs)
		}
		for _, r := range i.VnfcResources {
			if slices.Contains(v.VduIDs, r.VduID) {
				v.Vnfcs++
			}
		}
		out = append(out, v)
	}
	return out
}
