package hot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// references adds to found the resources that v mentions in get_resource and get_attr.
func references(v any, found map[string]bool) {
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			references(item, found)
		}
	case map[string]any:
		if len(x) == 1 {
			if name, ok := x["get_resource"].(string); ok {
				found[name] = true
			}
			switch arg := x["get_attr"].(type) {
			case string:
				found[arg] = true
			case []any:
				if len(arg) > 0 {
					if name, ok := arg[0].(string); ok {
						found[name] = true
					}
				}
			}
		}
		for _, item := range x {
			references(item, found)
		}
	}
}

// Dependencies returns for every resource the resources that must exist before it. It leaves out resources whose
// condition is false.
func Dependencies(defs map[string]Definition) (map[string][]string, error) {
	out := make(map[string][]string, len(defs))
	for name, d := range defs {
		found := map[string]bool{}
		references(d.Properties, found)
		references(d.Metadata, found)
		for _, dep := range d.DependsOn {
			found[dep] = true
		}
		for _, dep := range implied(d, defs) {
			found[dep] = true
		}
		delete(found, name)
		for dep := range found {
			if _, ok := defs[dep]; ok {
				out[name] = append(out[name], dep)
			}
		}
		slices.Sort(out[name])
	}
	if cycle := findCycle(out); cycle != nil {
		return nil, &Error{Type: "CircularDependencyException", Message: "Circular Dependency Found: " +
			strings.Join(cycle, ", ")}
	}
	return out, nil
}

// implied returns the dependencies that Heat adds by itself. Ports and servers wait for the subnets of their network.
// Floating IPs and their associations wait for the router's interfaces.
func implied(d Definition, defs map[string]Definition) []string {
	var out []string
	for name, other := range defs {
		switch {
		case other.Type == "OS::Neutron::Subnet" && usesNetworkOf(d, other):
			out = append(out, name)
		case other.Type == "OS::Neutron::RouterInterface" &&
			(d.Type == "OS::Neutron::FloatingIP" || d.Type == "OS::Neutron::FloatingIPAssociation"):
			out = append(out, name)
		}
	}
	return out
}

func networkOf(d Definition) any {
	if network := d.Properties["network"]; network != nil {
		return network
	}
	return d.Properties["network_id"]
}

func usesNetworkOf(d, subnet Definition) bool {
	network := networkOf(subnet)
	if network == nil {
		return false
	}
	switch d.Type {
	case "OS::Neutron::Port":
		return same(d.Properties["network"], network) || same(d.Properties["network_id"], network)
	case "OS::Nova::Server":
		nets, _ := d.Properties["networks"].([]any)
		return slices.ContainsFunc(nets, func(n any) bool {
			m, _ := n.(map[string]any)
			return m["network"] != nil && same(m["network"], network)
		})
	}
	return false
}

// Awaited returns for every resource the resources that are created before it. These are its dependencies; for a nested
// stack, also the subnets of the networks in its properties. Heat does not look for ports inside nested stacks. But in
// Heat a nested stack begins long after the parent stack's subnet exists; in the lab it could begin first. A deletion
// ignores these extra dependencies.
func Awaited(defs map[string]Definition, deps map[string][]string, nested func(typ string) bool) map[string][]string {
	out := maps.Clone(deps)
	for name, d := range defs {
		if !nested(d.Type) {
			continue
		}
		given := map[string]bool{}
		references(d.Properties, given)
		for _, subnet := range slices.Sorted(maps.Keys(defs)) {
			if defs[subnet].Type == "OS::Neutron::Subnet" && isGiven(networkOf(defs[subnet]), given) &&
				!slices.Contains(out[name], subnet) {
				out[name] = append(slices.Clone(out[name]), subnet)
			}
		}
	}
	if findCycle(out) != nil {
		return deps
	}
	return out
}

func isGiven(network any, given map[string]bool) bool {
	m, _ := network.(map[string]any)
	name, _ := m["get_resource"].(string)
	return given[name]
}

// findCycle returns the resources of one cycle, or nil if there is no cycle.
func findCycle(deps map[string][]string) []string {
	const visiting, done = 1, 2
	mark := map[string]int{}
	var path []string
	var visit func(string) []string
	visit = func(name string) []string {
		switch mark[name] {
		case done:
			return nil
		case visiting:
			return append(slices.Clone(path[slices.Index(path, name):]), name)
		}
		mark[name] = visiting
		path = append(path, name)
		for _, dep := range deps[name] {
			if cycle := visit(dep); cycle != nil {
				return cycle
			}
		}
		path = path[:len(path)-1]
		mark[name] = done
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(deps)) {
		if cycle := visit(name); cycle != nil {
			return cycle
		}
	}
	return nil
}

// checkReferences reports a get_resource or get_attr that names a resource which the template does not have.
func (t *Template) checkReferences() error {
	for _, name := range slices.Sorted(maps.Keys(t.Resources)) {
		found := map[string]bool{}
		references(t.Resources[name].Properties, found)
		if err := t.unknownReference(found, fmt.Sprintf("resources.%s.properties", name)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Outputs)) {
		found := map[string]bool{}
		references(t.Outputs[name].Value, found)
		if err := t.unknownReference(found, fmt.Sprintf("outputs.%s.value", name)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Template) unknownReference(found map[string]bool, where string) error {
	for _, ref := range slices.Sorted(maps.Keys(found)) {
		if _, ok := t.Resources[ref]; !ok {
			return errorf("InvalidTemplateReference", `The specified reference "%s" (in %s) is incorrect.`, ref, where)
		}
	}
	return nil
}
