package hot

import (
	"context"
	"maps"
	"math"
	"slices"
)

// scalingGroup is OS::Heat::AutoScalingGroup.
type scalingGroup struct{}

func (scalingGroup) isStack() bool { return true }

func (scalingGroup) schema() Schema {
	return Schema{Properties: map[string]Property{
		"resource": {Type: "map", Required: true, Updatable: true},
		"max_size": {Type: "integer", Required: true, Updatable: true},
		"min_size": {Type: "integer", Required: true, Updatable: true},
		"cooldown": {Type: "integer", Updatable: true}, "desired_capacity": {Type: "integer", Updatable: true},
		"rolling_updates": {Type: "map", Updatable: true},
	}}
}

func (scalingGroup) validate(f *frame, r Resource, props map[string]any) error {
	if !hasUnknown(props) {
		low, high := Int(props["min_size"], 0), Int(props["max_size"], 0)
		if low > high {
			return invalid("MinSize can not be greater than MaxSize")
		}
		if want, given := props["desired_capacity"]; given && (Int(want, low) < low || Int(want, low) > high) {
			return invalid("DesiredCapacity must be between MinSize and MaxSize")
		}
	}
	return f.validateMember(r, definitionOf(props["resource"]))
}

func (g scalingGroup) create(ctx context.Context, f *frame, r *Resource) error {
	return f.createGroup(ctx, r, func() map[string]any {
		size := Int(r.Properties["desired_capacity"], Int(r.Properties["min_size"], 0))
		return g.grow(map[string]any{}, definitionOf(r.Properties["resource"]), size)
	})
}

// grow adds members with random names until there are size of them.
func (scalingGroup) grow(defs map[string]any, def map[string]any, size int) map[string]any {
	for len(defs) < size {
		defs[shortID()] = def
	}
	return defs
}

// update does what Heat's handle_update does. First it gives the members the new definition, in batches. Then it sets
// the size to desired_capacity, even if only another property has changed.
func (g scalingGroup) update(ctx context.Context, f *frame, r *Resource, props map[string]any) error {
	def := definitionOf(props["resource"])
	if !same(def, definitionOf(r.Properties["resource"])) {
		if err := g.roll(ctx, f, *r, def, props); err != nil {
			return err
		}
	}
	size := Int(props["desired_capacity"], len(f.e.members(*r, false)))
	return g.resize(ctx, f, *r, def, clamp(size, props))
}

func clamp(size int, props map[string]any) int {
	return min(max(size, Int(props["min_size"], 0)), Int(props["max_size"], math.MaxInt))
}

// roll gives members a new definition, max_batch_size at a time.
func (scalingGroup) roll(ctx context.Context, f *frame, r Resource, def, props map[string]any) error {
	policy, _ := props["rolling_updates"].(map[string]any)
	batch := max(Int(policy["max_batch_size"], 1), 1)
	for names := range slices.Chunk(namesOf(f.e.members(r, true)), batch) {
		defs := maps.Clone(f.e.memberDefinitions(r))
		for _, name := range names {
			defs[name] = def
		}
		if err := f.convergeChild(ctx, r, Update, groupTemplate(defs), nil); err != nil {
			return err
		}
	}
	return nil
}

func namesOf(rows []Resource) []string {
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

// resize keeps the last size members in Heat's order: it removes unhealthy members first, then the oldest. It adds
// missing members. A planned member that was never created has no record, and is removed before all others.
func (g scalingGroup) resize(ctx context.Context, f *frame, r Resource, def map[string]any, size int) error {
	have := f.e.members(r, true)
	old := f.e.memberDefinitions(r)
	known := namesOf(have)
	absent := slices.DeleteFunc(slices.Sorted(maps.Keys(old)),
		func(name string) bool { return slices.Contains(known, name) })
	known = append(absent, known...)
	known = known[max(len(known)-size, 0):]
	defs := map[string]any{}
	for _, name := range known {
		defs[name] = def
		if kept, ok := old[name]; ok {
			defs[name] = kept
		}
	}
	return f.convergeChild(ctx, r, Update, groupTemplate(g.grow(defs, def, size)), nil)
}

func (scalingGroup) remove(ctx context.Context, f *frame, r Resource) error {
	return f.e.removeChild(ctx, r)
}

func (scalingGroup) ref(_ *frame, r Resource) any { return groupRef(r) }

func (scalingGroup) attr(f *frame, r Resource, attr string, path []any) (any, error) {
	members := f.e.members(r, false)
	if attr == "current_size" {
		return len(members), nil
	}
	if v, ok, err := f.groupAttr(r, members, attr, path); ok {
		return v, err
	}
	if attr == "outputs" || attr == "outputs_list" {
		if len(path) == 0 {
			return nil, badAttribute(r.Name, attr)
		}
		list, byName, err := f.each(r, members, text(path[0]), path[1:])
		if attr == "outputs" {
			return byName, err
		}
		return list, err
	}
	if attr == "" {
		return map[string]any{"current_size": len(members)}, nil
	}
	return nil, badAttribute(r.Name, attr)
}
