package hot

import (
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// held are the VDUs whose servers a resource of the top template makes: a server, a nested template, or a group of them.
func (p parsedTemplate) held(f *descriptor.Flavour, name string, resource *document.Value) []string {
	of := resource.At("type").Str()
	if _, is := f.Vdu(name); is && strings.HasPrefix(of, "OS::Nova::Server") {
		return []string{name}
	}
	for _, member := range []string{"resource", "resource_def"} {
		if nested := resource.At("properties", member, "type").Str(); nested != "" {
			of = nested
		}
	}
	return memberVdus(f, p.nested[of])
}

// movedVdus tells, for people, which VDUs of both templates have their servers in other resources of the top template:
// Heat would make these servers anew.
func movedVdus(now parsedTemplate, f *descriptor.Flavour, was parsedTemplate, had *descriptor.Flavour) (moved []string) {
	before, after := map[string][]string{}, map[string][]string{}
	for name, resource := range was.top.At("resources").Members() {
		there := now.top.At("resources", name)
		for _, vdu := range was.held(had, name, resource) {
			before[vdu] = append(before[vdu], name)
			alike := there.At("type").Str() == resource.At("type").Str() && slices.Contains(now.held(f, name, there), vdu)
			if there != nil && !alike {
				moved = append(moved, name+" has the servers of "+vdu+" in one of them only")
			}
		}
	}
	for name, resource := range now.top.At("resources").Members() {
		for _, vdu := range now.held(f, name, resource) {
			after[vdu] = append(after[vdu], name)
		}
	}
	for _, vdu := range slices.Sorted(maps.Keys(before)) {
		stays := func(name string) bool { return slices.Contains(after[vdu], name) }
		if len(after[vdu]) > 0 && !slices.ContainsFunc(before[vdu], stays) {
			moved = append(moved, "the servers of "+vdu+" are in "+strings.Join(before[vdu], ", ")+" and in "+
				strings.Join(after[vdu], ", "))
		}
	}
	return moved
}

// checkHolders refuses templates between which servers that stay would be made anew.
func checkHolders(now parsedTemplate, f *descriptor.Flavour, was parsedTemplate, had *descriptor.Flavour) error {
	moved := movedVdus(now, f, was, had)
	if len(moved) == 0 {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "The templates of the flavours %s and %s have servers in different resources, so "+
		"that Heat would make them anew: %s. Give the resource of a VDU the same name and type in both.", had.ID, f.ID,
		strings.Join(moved, "; "))
}
