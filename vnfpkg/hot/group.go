package hot

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// group is a Heat resource that multiplies a member, with the VDUs that decide its size.
type group struct {
	name     string
	resource *document.Value
	// sizeKey is the property with the number of members.
	sizeKey string
	vdus    []string
}

// findGroups lists the groups of a Base HOT whose size follows from the VNFD: those whose member
// template has servers named like VDUs, and those named like a scaling aspect.
func findGroups(f *descriptor.Flavour, top *document.Value, nested func(name string) *document.Value) []group {
	var out []group
	for name, resource := range top.At("resources").Members() {
		g := group{name: name, resource: resource, sizeKey: "desired_capacity"}
		member := "resource"
		switch resource.At("type").Str() {
		case "OS::Heat::AutoScalingGroup":
		case "OS::Heat::ResourceGroup":
			g.sizeKey, member = "count", "resource_def"
		default:
			continue
		}
		g.vdus = memberVdus(f, nested(resource.At("properties", member, "type").Str()))
		if aspect, ok := f.Aspect(name); ok && len(g.vdus) == 0 {
			g.vdus = slices.Sorted(maps.Keys(aspect.Deltas))
		}
		if len(g.vdus) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func memberVdus(f *descriptor.Flavour, member *document.Value) []string {
	var out []string
	for name, resource := range member.At("resources").Members() {
		if _, ok := f.Vdu(name); ok && strings.HasPrefix(resource.At("type").Str(), "OS::Nova::Server") {
			out = append(out, name)
		}
	}
	return out
}

// size is the number of members at that capacity, or the reason why the group cannot have it.
func (g group) size(capacity map[string]int) (int, string) {
	n := capacity[g.vdus[0]]
	for _, vdu := range g.vdus[1:] {
		if capacity[vdu] != n {
			return 0, fmt.Sprintf("the group %s has both %s and %s in each member, so they cannot have %d and %d "+
				"instances", g.name, g.vdus[0], vdu, n, capacity[vdu])
		}
	}
	p := g.resource.At("properties")
	if lowest, ok := p.At("min_size").Number(); ok && n < lowest {
		return 0, fmt.Sprintf("the group %s has a min_size of %d, more than the %d instances of %s", g.name, lowest, n,
			g.vdus[0])
	}
	if highest, ok := p.At("max_size").Number(); ok && n > highest {
		return 0, fmt.Sprintf("the group %s has a max_size of %d, less than the %d instances of %s", g.name, highest, n,
			g.vdus[0])
	}
	return n, ""
}

// sizeParameter names the HOT parameter that gives the size, "" if no parameter does.
func (g group) sizeParameter() string {
	ref := g.resource.At("properties", g.sizeKey, "get_param")
	if ref.IsList() && len(ref.Items) == 1 {
		ref = ref.Items[0]
	}
	return ref.Str()
}

// isLiteral reports whether the size is a plain number, or absent, so that Heat's default counts.
func (g group) isLiteral() bool {
	size := g.resource.At("properties", g.sizeKey)
	_, number := size.Number()
	return number || size.IsNull()
}

// Holding is the template with groups that may have so many members: a max_size that is too small for the number of VMs
// of a VDU becomes that number.
func (t Template) Holding(f *descriptor.Flavour, capacity map[string]int) (Template, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return t, err
	}
	changed := false
	for _, g := range parsed.groups(f) {
		properties, n := g.resource.At("properties"), capacity[g.vdus[0]]
		if highest, ok := properties.At("max_size").Number(); ok && n > highest {
			properties.Set("max_size", document.Scalar("!!int", strconv.Itoa(n)))
			changed = true
		}
	}
	if !changed {
		return t, nil
	}
	text, err := parsed.top.Encode()
	if err != nil {
		return t, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return Template{Top: text, Files: t.Files}, nil
}
