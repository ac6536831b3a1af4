package hot

import (
	"context"
	"maps"
	"slices"
)

// OutputValue is one output of a stack.
type OutputValue struct {
	Key         string
	Description string
	Value       any
	Error       string // why there is no Value
}

// Outputs evaluates a stack's outputs.
func (e *Engine) Outputs(ctx context.Context, st Stack) ([]OutputValue, error) {
	if !st.Deleted.IsZero() {
		return nil, nil
	}
	f, err := e.load(ctx, st)
	if err != nil {
		return nil, err
	}
	return f.outputs(), nil
}

func (f *frame) outputs() []OutputValue {
	out := []OutputValue{}
	for _, name := range slices.Sorted(maps.Keys(f.tmpl.Outputs)) {
		o := f.tmpl.Outputs[name]
		if yes, err := f.eval().Condition(o.Condition); err == nil && !yes {
			continue
		}
		v, err := f.eval().Eval(o.Value)
		value := OutputValue{Key: name, Description: o.Description, Value: v}
		if err != nil {
			value.Value, value.Error = nil, err.Error()
		}
		out = append(out, value)
	}
	return out
}

// Parameters are a stack's parameters as Heat shows them.
func (e *Engine) Parameters(ctx context.Context, st Stack) map[string]string {
	shown := map[string]string{}
	if f, err := e.load(ctx, st); err == nil {
		shown = f.params.Shown()
	}
	shown["OS::stack_id"], shown["OS::stack_name"], shown["OS::project_id"] = st.ID, st.Name, st.ProjectID
	return shown
}
