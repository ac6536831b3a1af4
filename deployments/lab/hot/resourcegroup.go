package hot

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// resourceGroup is OS::Heat::ResourceGroup.
type resourceGroup struct{}

func (resourceGroup) isStack() bool { return true }

func (resourceGroup) schema() Schema {
	return Schema{Properties: map[string]Property{
		"count": {Type: "integer", Updatable: true}, "resource_def": {Type: "map", Required: true, Updatable: true},
		"index_var": {Type: "string"}, "removal_policies": {Type: "list", Updatable: true},
		"removal_policies_mode": {Type: "string", Updatable: true, Allowed: []string{"append", "update"}},
	}}
}

func (g resourceGroup) validate(f *frame, r Resource, props map[string]any) error {
	if n, given := props["count"]; given && !hasUnknown(n) && Int(n, 0) < 0 {
		return invalid("Property error: : resources.%s.properties.count: : %d is out of range (min: 0, max: None)", r.Name,
			Int(n, 0))
	}
	return f.validateMember(r, g.definition(props, "0"))
}

// definition returns the definition of one member, with its index in place of the variable.
func (resourceGroup) definition(props map[string]any, index string) map[string]any {
	variable := "%index%"
	if v := text(props["index_var"]); v != "" {
		variable = v
	}
	def := definitionOf(props["resource_def"])
	out, _ := replaceText(def, variable, index).(map[string]any)
	out["type"] = def["type"]
	return out
}

// replaceText puts the index into every string; the result stays a string.
func replaceText(v any, variable, index string) any {
	switch x := v.(type) {
	case string:
		return strings.ReplaceAll(x, variable, index)
	case []any:
		out := make([]any, 0, len(x))
		for _, item := range x {
			out = append(out, replaceText(item, variable, index))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, item := range x {
			out[k] = replaceText(item, variable, index)
		}
		return out
	default:
		return v
	}
}

// definitions returns the definitions of all members: the first count indices that are not permanently removed.
func (g resourceGroup) definitions(props map[string]any, removed []string) map[string]any {
	out := map[string]any{}
	for i := 0; len(out) < Int(props["count"], 1); i++ {
		if name := strconv.Itoa(i); !slices.Contains(removed, name) {
			out[name] = g.definition(props, name)
		}
	}
	return out
}

func (g resourceGroup) create(ctx context.Context, f *frame, r *Resource) error {
	return f.createGroup(ctx, r, func() map[string]any {
		return g.definitions(r.Properties,
			g.removed(f, *r, r.Properties))
	})
}

func (g resourceGroup) update(ctx context.Context, f *frame, r *Resource, props map[string]any) error {
	removed := g.removed(f, *r, props)
	r.Data = map[string]string{"name_blacklist": strings.Join(removed, ",")}
	if err := f.put(*r); err != nil {
		return err
	}
	return f.convergeChild(ctx, *r, Update, groupTemplate(g.definitions(props, removed)), nil)
}

// removed returns the names of permanently removed members. They come from earlier updates (unless the mode is update)
// and from removal_policies, which gives names or references.
func (resourceGroup) removed(f *frame, r Resource, props map[string]any) []string {
	var out []string
	if old := r.Data["name_blacklist"]; old != "" && text(props["removal_policies_mode"]) != "update" {
		out = strings.Split(old, ",")
	}
	members := f.e.members(r, true)
	policies, _ := props["removal_policies"].([]any)
	for _, p := range policies {
		m, _ := p.(map[string]any)
		list, _ := m["resource_list"].([]any)
		for _, item := range list {
			for _, member := range members {
				if (text(item) == member.Name || text(item) == member.Physical) && !slices.Contains(out, member.Name) {
					out = append(out, member.Name)
				}
			}
		}
	}
	return out
}

func (resourceGroup) remove(ctx context.Context, f *frame, r Resource) error {
	return f.e.removeChild(ctx, r)
}

func (resourceGroup) ref(_ *frame, r Resource) any { return groupRef(r) }

func (resourceGroup) attr(f *frame, r Resource, attr string, path []any) (any, error) {
	members := f.e.members(r, true)
	// A ResourceGroup counts its members by index, not by age.
	slices.SortFunc(members, func(a, b Resource) int { return Int(a.Name, 0) - Int(b.Name, 0) })
	if v, ok, err := f.groupAttr(r, members, attr, path); ok {
		return v, err
	}
	switch attr {
	case "":
		return map[string]any{}, nil
	case "removed_rsrc_list":
		out := []any{}
		for name := range strings.SplitSeq(r.Data["name_blacklist"], ",") {
			if name != "" {
				out = append(out, name)
			}
		}
		return out, nil
	case "attributes":
		if len(path) == 0 {
			return nil, badAttribute(r.Name, attr)
		}
		_, byName, err := f.each(r, members, text(path[0]), path[1:])
		return byName, err
	default:
		list, _, err := f.each(r, members, attr, path)
		return list, err
	}
}
