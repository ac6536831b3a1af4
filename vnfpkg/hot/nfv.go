package hot

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// nfvUse is a place where a template reads a value of the parameter nfv, e.g. VDU, masterNode, flavor.
type nfvUse struct {
	path []string // at least a kind and an id
	at   *document.Value
}

// nfvUses finds {get_param: [nfv, ...]}.
func nfvUses(root *document.Value) []nfvUse {
	var out []nfvUse
	root.Walk(func(v *document.Value) {
		ref := v.At("get_param")
		if !ref.IsList() || len(ref.Items) < 3 || ref.Items[0].Str() != "nfv" {
			return
		}
		use := nfvUse{at: ref}
		for _, item := range ref.Items[1:] {
			if item.Str() == "" { // computed by another function: only Heat can tell
				return
			}
			use.path = append(use.path, item.Str())
		}
		out = append(out, use)
	})
	return out
}

// nfvUses are the uses in all templates.
func (p parsedTemplate) nfvUses() []nfvUse {
	uses := nfvUses(p.top)
	for _, name := range slices.Sorted(maps.Keys(p.nested)) {
		uses = append(uses, nfvUses(p.nested[name])...)
	}
	return uses
}

// nfvBuilder makes the value of the parameter nfv. Like Tacker, it sends only what templates use.
type nfvBuilder struct {
	flavour  *descriptor.Flavour
	req      Request
	capacity map[string]int
	rates    map[string]descriptor.Bitrate
	nfv      map[string]any
}

// macKey is Windlass's own key, too: an entry that a template uses as a whole has it only if the request gives a MAC
// address.
const macKey = "mac_address"

// The last keys of the lists that templates use, in Tacker's first and second form.
var (
	vduKeys = []string{"flavor", "computeFlavourId", "image", "vcImageId", "locationConstraints", "desired_capacity"}
	cpKeys  = []string{"network", "fixed_ips", macKey, portKey}
	// linkKeys are Windlass's own: Tacker knows nothing of bit rates.
	linkKeys = []string{"bitrate", "kbps", "leaf_bitrate", "leaf_kbps"}
)

// add adds the value of a use, as far as it is known.
func (b *nfvBuilder) add(use nfvUse) {
	keys := use.path[2:]
	whole := len(keys) == 0
	if whole { // the template uses the whole entry
		keys = map[string][]string{"VDU": vduKeys, "CP": cpKeys, "VL": linkKeys}[use.path[0]]
	} else {
		keys = keys[:1]
	}
	for _, key := range keys {
		if v, ok := b.known(use.path[0], use.path[1], key); ok && (v != nil || !whole || key != macKey) {
			entry := child(child(b.nfv, use.path[0]), use.path[1])
			entry[key] = v
		}
	}
}

func child(m map[string]any, key string) map[string]any {
	c, ok := m[key].(map[string]any)
	if !ok {
		c = map[string]any{}
		m[key] = c
	}
	return c
}

// known is the known value for an entry of nfv.
func (b *nfvBuilder) known(kind, entry, key string) (any, bool) {
	if kind == "CP" && key == portKey {
		if port := b.port(entry); port != nil {
			return port.ResourceID, true
		}
		return nil, false
	}
	id := b.req.described(b.flavour, kind, entry)
	switch kind {
	case "VDU":
		return b.vdu(id, key)
	case "CP":
		return b.cp(id, key)
	case "VL":
		return b.link(id, key)
	default:
		return nil, false
	}
}

func (b *nfvBuilder) vdu(id, key string) (any, bool) {
	vdu, ok := vduOrStorage(b.flavour, id)
	if !ok {
		return nil, false
	}
	switch key {
	case "flavor", "computeFlavourId":
		name := cmp.Or(b.req.ComputeFlavours[id], vdu.ComputeFlavour)
		return name, name != "" || vdu.OwnFlavour
	case "image", "vcImageId":
		name := b.image(id)
		if vdu.Image != nil {
			name = cmp.Or(name, vdu.Image.Name)
		}
		return name, name != ""
	case "locationConstraints":
		if zone := cmp.Or(b.req.Zones[id], vdu.Zone); zone != "" {
			return zone, true
		}
		return nil, true // Nova chooses
	case "desired_capacity":
		n, ok := b.capacity[id]
		return n, ok
	default:
		return nil, false
	}
}

// image is the granted image, else the kept one, of an entry of nfv: of a VDU, or of a storage. The entry of a storage
// may begin with its VDU's name.
func (b *nfvBuilder) image(id string) string {
	if name := cmp.Or(b.req.Images[id], b.req.KeptImages[id]); name != "" {
		return name
	}
	for _, s := range b.flavour.Storages {
		if strings.HasSuffix(id, "-"+s.ID) {
			return cmp.Or(b.req.Images[s.ID], b.req.KeptImages[s.ID])
		}
	}
	return ""
}

func (b *nfvBuilder) cp(id, key string) (any, bool) {
	network, cp := b.req.network(b.flavour, id)
	switch key {
	case "network":
		return network, network != ""
	case "fixed_ips":
		return fixedIPs(cp), true
	case macKey:
		if cp == nil || cp.MAC == "" {
			return nil, true // Neutron chooses
		}
		return cp.MAC, true
	default:
		return nil, false
	}
}

// sizes sets the sizes of groups. The operation decides them and overrides the request's patch.
func (b *nfvBuilder) sizes(uses []nfvUse) {
	for _, use := range uses {
		if use.path[0] != "VDU" || len(use.path) < 3 || use.path[2] != "desired_capacity" {
			continue
		}
		if n, ok := b.capacity[b.req.described(b.flavour, "VDU", use.path[1])]; ok {
			child(child(b.nfv, "VDU"), use.path[1])["desired_capacity"] = n
		}
	}
}

// link is the bit rate of a virtual link, in bit/s or in kbit/s.
func (b *nfvBuilder) link(id, key string) (any, bool) {
	rate, ok := b.rates[id]
	v, known := map[string]int64{
		"bitrate": rate.Root, "kbps": descriptor.Kilo(rate.Root), "leaf_bitrate": rate.Leaf,
		"leaf_kbps": descriptor.Kilo(rate.Leaf),
	}[key]
	return v, ok && known
}

// vduOrStorage finds the VDU that an entry of nfv is about. Tacker's second form has entries for the
// storages that VDUs boot from, named <storage> or <vdu>-<storage>.
func vduOrStorage(f *descriptor.Flavour, id string) (descriptor.Vdu, bool) {
	if vdu, ok := f.Vdu(id); ok {
		return *vdu, true
	}
	for _, s := range f.Storages {
		if id != s.ID && !strings.HasSuffix(id, "-"+s.ID) {
			continue
		}
		if _, ok := f.Vdu(strings.TrimSuffix(id, "-"+s.ID)); ok || id == s.ID {
			return descriptor.Vdu{ID: id, Image: s.Image}, true
		}
	}
	return descriptor.Vdu{}, false
}

// missing describes a value that a use needs and the map lacks; "" if Heat will find a value.
func (b *nfvBuilder) missing(use nfvUse) (path, detail string) {
	var v any = b.nfv
	for _, key := range use.path {
		switch in := v.(type) {
		case map[string]any:
			item, ok := in[key]
			if !ok {
				return b.reason(use)
			}
			v = item
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return b.reason(use)
			}
			v = in[i]
		default:
			return b.reason(use)
		}
	}
	return "", ""
}

// LinksPath is the path of problems about a network or an address that templates use and the request lacks.
const LinksPath = "$.extVirtualLinks"

func (b *nfvBuilder) reason(use nfvUse) (path, detail string) {
	kind, id := use.path[0], b.req.described(b.flavour, use.path[0], use.path[1])
	whole := "nfv." + strings.Join(use.path, ".")
	switch {
	case kind == "CP" && len(use.path) > 2 && use.path[2] == "network":
		return LinksPath, "the connection point " + id + " needs a network: add a link with an extCp whose cpdId is " + id
	case kind == "CP" && len(use.path) > 2 && use.path[2] == portKey && b.req.Members != nil &&
		lcm.GivenPort(b.req.ExtVirtualLinks, id) != nil:
		return "", "" // other VNFCs have one: reported with the ports (PortsProblems)
	case kind == "CP" && len(use.path) > 2 && use.path[2] == portKey:
		return LinksPath, "the connection point " + id + " needs a port: the Base HOT takes one (" + whole +
			"). Describe it in a link's extLinkPorts, and name it in linkPortId"
	case kind == "CP" && len(use.path) > 2 && use.path[2] == "fixed_ips":
		return LinksPath, "the Base HOT needs a fixed address of the connection point " + id + " (" + whole + ")"
	}
	if kind == "VL" {
		return "$.additionalParams.nfv", "the Base HOT needs " + whole + " (" + use.at.File +
			"), but the VNFD has no initial bit rate of " + id + " and no bit rate for the instantiation level"
	}
	return "$.additionalParams.nfv", "the Base HOT needs " + whole + " (" + use.at.File + "), but the VNFD does not " +
		"contain it"
}

// Connections are the connection points whose network or port the templates read from the parameter nfv.
func (t Template) Connections(f *descriptor.Flavour) (map[string]bool, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, root := range append([]*document.Value{parsed.top}, sortedValues(parsed.nested)...) {
		for _, use := range nfvUses(root) {
			if use.path[0] == "CP" && (len(use.path) == 2 || use.path[2] == "network" || use.path[2] == portKey) {
				out[use.path[1]] = true
			}
		}
	}
	return out, nil
}

func sortedValues(m map[string]*document.Value) (out []*document.Value) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[key])
	}
	return out
}
