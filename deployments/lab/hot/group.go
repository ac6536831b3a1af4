package hot

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Groups are stacks with a generated template: one resource for each member.

// groupTemplate is the template of a group's stack.
func groupTemplate(members map[string]any) map[string]any {
	return map[string]any{"heat_template_version": "2015-04-30", "resources": members}
}

// members returns a group's resources in Heat's order: failed resources first, then by age, then by name.
func (e *Engine) members(group Resource, withFailed bool) []Resource {
	var out []Resource
	for _, r := range state.LoadAll(e.store, resources, group.UID+"/") {
		if r.Replaced || r.Action == Delete || r.Status == Failed && !withFailed {
			continue
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Resource) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			a.Created.Compare(b.Created),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return out
}

func rank(r Resource) int {
	if r.Status == Failed {
		return 0
	}
	return 1
}

// memberDefinitions returns the current definitions of a group's members.
func (e *Engine) memberDefinitions(group Resource) map[string]any {
	src, ok := state.Load(e.store, sources, group.UID)
	if !ok {
		return map[string]any{}
	}
	defs, _ := src.Template["resources"].(map[string]any)
	if defs == nil {
		defs = map[string]any{}
	}
	return defs
}

// createGroup creates a group's stack, or continues an interrupted creation.
func (f *frame) createGroup(ctx context.Context, r *Resource, initial func() map[string]any) error {
	r.Physical = r.UID
	if err := f.put(*r); err != nil {
		return err
	}
	defs := f.e.memberDefinitions(*r)
	if _, begun := state.Load(f.e.store, stacks, r.UID); !begun {
		defs = initial()
	}
	return f.convergeChild(ctx, *r, Create, groupTemplate(defs), nil)
}

// groupRef returns Heat's reference for a group: its full name. Policies find the group by that name.
func groupRef(r Resource) any { return r.FullName }

// groupAttr returns the attributes that both kinds of groups have; ok is false for other attributes.
func (f *frame) groupAttr(r Resource, members []Resource, attr string, path []any) (v any, ok bool, err error) {
	child, err := f.childFrame(r)
	if err != nil || child == nil {
		return nil, true, err
	}
	if name, inner, isMember := resourceAttr(attr); isMember {
		v, err = child.memberAttr(name, inner, path)
		return v, true, err
	}
	switch attr {
	case "refs":
		list := []any{}
		for _, m := range members {
			ref, err := child.Ref(m.Name)
			if err != nil {
				return nil, true, err
			}
			list = append(list, ref)
		}
		return walk(list, path), true, nil
	case "refs_map":
		all := map[string]any{}
		for _, m := range members {
			if all[m.Name], err = child.Ref(m.Name); err != nil {
				return nil, true, err
			}
		}
		return walk(all, path), true, nil
	}
	return nil, false, nil
}

// each returns one attribute of every member, in the group's order and by name.
func (f *frame) each(
	r Resource, members []Resource, attr string, path []any,
) (list []any, byName map[string]any, err error) {
	child, err := f.childFrame(r)
	if err != nil || child == nil {
		return nil, nil, err
	}
	list, byName = []any{}, map[string]any{}
	for _, m := range members {
		v, err := child.Attr(m.Name, attr, path)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, v)
		byName[m.Name] = v
	}
	return list, byName, nil
}

// definitionOf makes a member's definition from the property "resource" or "resource_def". The parent stack has already
// resolved the functions in it.
func definitionOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	out := map[string]any{"type": m["type"]}
	for _, key := range []string{"properties", "metadata"} {
		if m[key] != nil {
			out[key] = m[key]
		}
	}
	if p, ok := out["properties"].(map[string]any); ok {
		p = maps.Clone(p)
		maps.DeleteFunc(p, func(_ string, v any) bool { return v == nil })
		out["properties"] = p
	}
	return out
}

// validateMember validates one member as if it were created now.
func (f *frame) validateMember(r Resource, def map[string]any) error {
	if hasUnknown(def["type"]) {
		return nil
	}
	if t, _ := def["type"].(string); t == "" {
		return invalid(`Property error: : resources.%s.properties: : Property resource not assigned`, r.Name)
	}
	return f.validateChild(r, groupTemplate(map[string]any{"member": def}), nil)
}
