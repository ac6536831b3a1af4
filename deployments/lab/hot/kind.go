package hot

import (
	"context"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// kind implements a resource type. A kind keeps no state of a single resource.
type kind interface {
	schema() Schema
	// isStack is true when the resource is a stack of its own. That stack then decides which of its resources change.
	isStack() bool
	// validate checks more than the schema does; props may hold Unknown.
	validate(f *frame, r Resource, props map[string]any) error
	// create makes the resource and keeps r up to date. A repeated call finds the result of the first call.
	create(ctx context.Context, f *frame, r *Resource) error
	// update brings the resource from r.Properties to props.
	update(ctx context.Context, f *frame, r *Resource, props map[string]any) error
	remove(ctx context.Context, f *frame, r Resource) error
	ref(f *frame, r Resource) any
	attr(f *frame, r Resource, attr string, path []any) (any, error)
}

// kind finds the kind of a type through the environment's registry.
func (f *frame) kind(typ string) (kind, error) {
	target := f.root.Environment.target(typ)
	if isTemplateName(target) {
		return f.templateKind(target)
	}
	if k, ok := builtins[target]; ok {
		return k, nil
	}
	if s, ok := f.e.cloud.Schema(target); ok {
		return cloudKind{s}, nil
	}
	return nil, invalid("The Resource Type (%s) could not be found.", typ)
}

// isStack reports whether a resource of the type is a stack of its own. It is false for an unknown type.
func (f *frame) isStack(typ string) bool {
	k, err := f.kind(typ)
	return err == nil && k.isStack()
}

var builtins map[string]kind

func init() { //nolint:gochecknoinits // breaks the cycle builtins -> frame -> builtins
	builtins = map[string]kind{
		"OS::Heat::AutoScalingGroup": scalingGroup{},
		"OS::Heat::ResourceGroup":    resourceGroup{},
		"OS::Heat::ScalingPolicy":    scalingPolicy{},
		"OS::Heat::Value":            valueKind{},
		"OS::Heat::RandomString":     randomString{},
		"OS::Heat::None":             noneKind{},
		"OS::Heat::TestResource":     testResource{},
		"OS::Heat::SoftwareConfig":   configKind{},
		"OS::Heat::CloudConfig":      configKind{},
	}
}

// cloudKind is a resource type that Resources implements.
type cloudKind struct{ s Schema }

func (k cloudKind) schema() Schema { return k.s }
func (cloudKind) isStack() bool    { return false }

func (cloudKind) validate(*frame, Resource, map[string]any) error { return nil }

func (cloudKind) create(ctx context.Context, f *frame, r *Resource) error {
	i := f.item(*r)
	i.Properties = f.e.withUserData(i)
	i.Exists = func(physical string) {
		r.Physical = physical
		_ = f.put(*r) // the next write of this record reports a broken store
	}
	physical, err := f.e.cloud.Create(ctx, i)
	if physical != "" {
		r.Physical = physical
	}
	return err
}

func (cloudKind) update(ctx context.Context, f *frame, r *Resource, props map[string]any) error {
	i := f.item(*r)
	i.Properties = props
	return f.e.cloud.Update(ctx, i, r.Properties)
}

func (cloudKind) remove(ctx context.Context, f *frame, r Resource) error {
	if r.Action == Init {
		return nil
	}
	return f.e.cloud.Delete(ctx, f.item(r))
}

func (cloudKind) ref(_ *frame, r Resource) any {
	if r.Physical == "" {
		return r.Name
	}
	return r.Physical
}

func (cloudKind) attr(f *frame, r Resource, attr string, path []any) (any, error) {
	all, err := f.e.cloud.Attributes(f.ctx, f.item(r))
	if err != nil {
		return nil, err
	}
	if attr == "" {
		return all, nil
	}
	v, ok := all[attr]
	if !ok {
		return nil, badAttribute(r.Name, attr)
	}
	return walk(v, path), nil
}

// withUserData replaces the id of a SoftwareConfig by its text, as Heat's server resource does.
func (e *Engine) withUserData(i Item) map[string]any {
	id, ok := i.Properties["user_data"].(string)
	if !ok || uuid.Validate(id) != nil {
		return i.Properties
	}
	for _, r := range state.LoadAll(e.store, resources, "") {
		if r.Physical != id {
			continue
		}
		if _, isConfig := builtins[r.Type].(configKind); isConfig {
			return merged(i.Properties, map[string]any{"user_data": configText(r)})
		}
	}
	return i.Properties
}
