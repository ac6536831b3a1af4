package hot

import (
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// choices reports values of a grant that the templates do not use: the VMs would differ from the granted ones. A
// granted value that equals the VNFD's is no problem.
func (m *parameterMaker) choices(uses []nfvUse) {
	for _, id := range slices.Sorted(maps.Keys(m.req.Zones)) {
		if zone := m.req.Zones[id]; zone != "" && !taken(uses, id, "locationConstraints") {
			m.rep.Problem("$.addResources", "the grant puts the servers of %s into the zone %s, but the Base HOT has "+
				"no parameter for a zone (nfv.VDU.%s.locationConstraints)", id, zone, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.req.ComputeFlavours)) {
		name, vdu := m.req.ComputeFlavours[id], m.described(id)
		if name != vdu.ComputeFlavour && !taken(uses, id, "flavor", "computeFlavourId") {
			m.rep.Problem("$.vimAssets.computeResourceFlavours", "the grant gives %s the flavour %s, but the Base HOT "+
				"has no parameter for a flavour (nfv.VDU.%s.flavor)", id, name, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.req.Images)) {
		name, vdu := m.req.Images[id], m.described(id)
		if (vdu.Image == nil || name != vdu.Image.Name) && !taken(uses, id, "image", "vcImageId") {
			m.rep.Problem("$.vimAssets.softwareImages",
				"the grant gives %s the image %s, but the Base HOT has no parameter for an image (nfv.VDU.%s.image)",
				id, name, id)
		}
	}
}

// describedUses are the uses with the ids that the VNFD has.
func (m *parameterMaker) describedUses(uses []nfvUse) []nfvUse {
	out := make([]nfvUse, 0, len(uses))
	for _, use := range uses {
		path := slices.Clone(use.path)
		path[1] = m.req.described(m.flavour, path[0], path[1])
		out = append(out, nfvUse{path: path, at: use.at})
	}
	return out
}

// described is the VDU of that id. For a storage it is a Vdu with only the storage's image.
func (m *parameterMaker) described(id string) descriptor.Vdu {
	vdu, _ := vduOrStorage(m.flavour, id)
	return vdu
}

// taken tells whether templates use one of these values of a VDU or a storage. The entry of a storage may begin with
// its VDU's name.
func taken(uses []nfvUse, id string, keys ...string) bool {
	return slices.ContainsFunc(uses, func(u nfvUse) bool {
		of := u.path[1] == id || strings.HasSuffix(u.path[1], "-"+id)
		return u.path[0] == "VDU" && of && (len(u.path) == 2 || slices.Contains(keys, u.path[2]))
	})
}
