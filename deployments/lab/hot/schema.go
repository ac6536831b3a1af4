package hot

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Schema declares the properties and attributes of a resource type.
type Schema struct {
	Properties map[string]Property
	Attributes []string
}

// Property is one property of a resource type.
type Property struct {
	Type      string // string, integer, number, boolean, list, map or "" for anything
	Required  bool
	Updatable bool   // false: a change replaces the resource
	Check     string // custom constraint, e.g. nova.flavor
	Allowed   []string
	// Fields declares the tested fields of the maps in a list; other fields are not tested.
	Fields map[string]Property
}

// Item is a resource as Resources gets it.
type Item struct {
	UID        string // use it as the id of the new object, so that a repeated Create finds the first one
	Type       string
	Name       string // in the template
	FullName   string // default name in the cloud
	Physical   string // "" until the resource exists
	StackID    string
	StackName  string
	RootID     string
	ProjectID  string
	UserID     string
	Properties map[string]any
	// Exists must be called as soon as an object with that id exists, long before Create returns.
	Exists func(physical string)
}

// ID is the physical id, or UID before the resource exists.
func (i Item) ID() string {
	if i.Physical != "" {
		return i.Physical
	}
	return i.UID
}

// Resources makes, changes and removes the resources that are not stacks. Every call can be repeated.
type Resources interface {
	Schema(typ string) (Schema, bool)
	Types() []string
	// Check tests a value against a custom constraint; an unknown constraint accepts everything.
	Check(project, constraint, value string) error
	// Create returns when the resource is usable.
	Create(ctx context.Context, i Item) (physical string, err error)
	Update(ctx context.Context, i Item, old map[string]any) error
	Delete(ctx context.Context, i Item) error
	// Detach frees the objects that a successor needs, e.g. a server's ports.
	Detach(ctx context.Context, i Item) error
	// Usable returns an error when the resource differs from its definition or is broken.
	Usable(ctx context.Context, i Item) error
	Attributes(ctx context.Context, i Item) (map[string]any, error)
}

// check tests resolved properties against the schema.
func (s Schema) check(where string, props map[string]any, check Check) error {
	for _, name := range slices.Sorted(maps.Keys(props)) {
		p, ok := s.Properties[name]
		if !ok {
			return invalid("Property error: : %s: : Unknown Property %s", where, name)
		}
		if err := p.checkFields(fmt.Sprintf("%s.%s", where, name), props[name], check); err != nil {
			return err
		}
		if hasUnknown(props[name]) {
			continue
		}
		if err := p.check(props[name], check); err != nil {
			return invalid("Property error: : %s.%s: : %v", where, name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if _, given := props[name]; s.Properties[name].Required && !given {
			return invalid("Property error: : %s: : Property %s not assigned", where, name)
		}
	}
	return nil
}

// checkFields tests the known fields of the maps in a list.
func (p Property) checkFields(where string, v any, check Check) error {
	list, _ := v.([]any)
	for i, item := range list {
		m, _ := item.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			field, tested := p.Fields[name]
			if !tested || m[name] == nil || hasUnknown(m[name]) {
				continue
			}
			if err := field.check(m[name], check); err != nil {
				return invalid("Property error: : %s[%d].%s: : %v", where, i, name, err)
			}
		}
	}
	return nil
}

func (p Property) check(v any, check Check) error {
	if err := p.checkType(v); err != nil {
		return err
	}
	if len(p.Allowed) > 0 && !slices.Contains(p.Allowed, text(v)) {
		return fmt.Errorf("%q is not an allowed value %v", text(v), p.Allowed)
	}
	if p.Check != "" && check != nil {
		if err := check(p.Check, text(v)); err != nil {
			return fmt.Errorf("Error validating value '%s': %w", text(v), err) //nolint:staticcheck,revive // Heat's words
		}
	}
	return nil
}

func (p Property) checkType(v any) error {
	switch p.Type {
	case "string":
		switch v.(type) {
		case map[string]any, []any:
			return fmt.Errorf("Value must be a string; got %s", jsonText(v)) //nolint:staticcheck,revive // Heat's words
		}
	case "integer":
		if f, ok := Number(v); !ok || f != float64(int(f)) {
			return fmt.Errorf("Value '%s' is not an integer", text(v)) //nolint:staticcheck,revive // Heat's words
		}
	case "number":
		if _, ok := Number(v); !ok {
			return fmt.Errorf("Value '%s' is not a number", text(v)) //nolint:staticcheck,revive // Heat's words
		}
	case "boolean":
		if _, ok := Bool(v); !ok {
			return fmt.Errorf("Value '%s' is not a boolean", text(v)) //nolint:staticcheck,revive // Heat's words
		}
	case "list":
		if _, ok := v.([]any); !ok {
			if _, isString := v.(string); !isString {
				return fmt.Errorf("\"%s\" is not a list", text(v))
			}
		}
	case "map":
		if _, ok := v.(map[string]any); !ok {
			return fmt.Errorf("\"%s\" is not a map", text(v))
		}
	}
	return nil
}

// replaces reports whether a change from old to props needs a new resource.
func (s Schema) replaces(old, props map[string]any) bool {
	for _, name := range changed(old, props) {
		if !s.Properties[name].Updatable {
			return true
		}
	}
	return false
}

func changed(old, props map[string]any) []string {
	var out []string
	for name := range merged(old, props) {
		if !same(old[name], props[name]) {
			out = append(out, name)
		}
	}
	return out
}
