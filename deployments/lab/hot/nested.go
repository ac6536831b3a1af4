package hot

import (
	"context"
	"strings"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// maxDepth is Heat's max_nested_stack_depth.
const maxDepth = 5

// templateKind is a resource whose type is a template among the files.
type templateKind struct {
	raw  map[string]any
	tmpl *Template
}

func (f *frame) templateKind(file string) (kind, error) {
	content, ok := f.root.Files[file]
	if !ok {
		return nil, invalid(`Could not fetch remote template "%s": not among the files of the request`, file)
	}
	tmpl, err := Parse(content)
	if err != nil {
		return nil, invalid("Error parsing template %s: %v", file, err)
	}
	return templateKind{raw: tmpl.Raw, tmpl: tmpl}, nil
}

func (templateKind) isStack() bool { return true }

func (k templateKind) schema() Schema {
	s := Schema{Properties: map[string]Property{}}
	for name, p := range k.tmpl.Parameters {
		s.Properties[name] = Property{Required: !p.HasDefault, Updatable: true}
	}
	return s
}

func (k templateKind) validate(f *frame, r Resource, props map[string]any) error {
	return f.validateChild(r, k.raw, props)
}

// validateChild validates the template of a nested stack as if the stack were created now.
func (f *frame) validateChild(r Resource, raw map[string]any, given map[string]any) error {
	if f.depth+1 > maxDepth {
		return errorf("RequestLimitExceeded", "Request limit exceeded: Recursion depth exceeds %d.", maxDepth)
	}
	st := f.stack
	st.ID, st.Name, st.ParentID, st.Given = r.UID, r.FullName, f.stack.ID, given
	child, err := f.e.frame(f.ctx, st, raw, f.root, f.depth+1, true)
	if err != nil {
		return err
	}
	return child.validate()
}

func (k templateKind) create(ctx context.Context, f *frame, r *Resource) error {
	r.Physical = r.UID
	if err := f.put(*r); err != nil {
		return err
	}
	return f.convergeChild(ctx, *r, Create, k.raw, r.Properties)
}

func (k templateKind) update(ctx context.Context, f *frame, r *Resource, props map[string]any) error {
	r.Physical = r.UID
	return f.convergeChild(ctx, *r, Update, k.raw, props)
}

func (templateKind) remove(ctx context.Context, f *frame, r Resource) error {
	return f.e.removeChild(ctx, r)
}

func (k templateKind) ref(f *frame, r Resource) any {
	if _, ok := k.tmpl.Outputs["OS::stack_id"]; ok {
		if v, err := k.attr(f, r, "OS::stack_id", nil); err == nil && v != nil {
			return v
		}
	}
	if st, ok := state.Load(f.e.store, stacks, r.UID); ok {
		return st.ARN()
	}
	return r.Name
}

// attr returns outputs of the nested template, "outputs", and "resource.<name>.<attribute>".
func (k templateKind) attr(f *frame, r Resource, attr string, path []any) (any, error) {
	child, err := f.childFrame(r)
	if err != nil || child == nil {
		return nil, err
	}
	if name, inner, ok := resourceAttr(attr); ok {
		return child.memberAttr(name, inner, path)
	}
	if attr == "" || attr == "outputs" {
		all := map[string]any{}
		for _, o := range child.outputs() {
			all[o.Key] = o.Value
		}
		return walk(all, path), nil
	}
	out, ok := k.tmpl.Outputs[attr]
	if !ok {
		return nil, badAttribute(r.Name, attr)
	}
	v, err := child.eval().Eval(out.Value)
	return walk(v, path), err
}

// resourceAttr splits "resource.name.attribute" or "resource.name".
func resourceAttr(attr string) (name, inner string, ok bool) {
	rest, ok := strings.CutPrefix(attr, "resource.")
	if !ok {
		return "", "", false
	}
	name, inner, _ = strings.Cut(rest, ".")
	return name, inner, true
}

// memberAttr returns an attribute of one resource of this stack, or its reference when attr is empty.
func (f *frame) memberAttr(name, attr string, path []any) (any, error) {
	if attr == "" && len(path) > 0 {
		attr, path = text(path[0]), path[1:]
	}
	if attr == "" {
		return f.Ref(name)
	}
	return f.Attr(name, attr, path)
}

// childFrame opens the nested stack of a resource; nil when the stack does not exist yet.
func (f *frame) childFrame(r Resource) (*frame, error) {
	st, ok := state.Load(f.e.store, stacks, r.UID)
	if !ok {
		return nil, nil //nolint:nilnil // nothing there yet is no error
	}
	own, _ := state.Load(f.e.store, sources, st.ID)
	return f.e.frame(f.ctx, st, own.Template, f.root, f.depth+1, false)
}

// convergeChild brings the nested stack of resource r to the state of its template.
func (f *frame) convergeChild(ctx context.Context, r Resource, action string, raw, given map[string]any) error {
	e := f.e
	st, ok := state.Load(e.store, stacks, r.UID)
	if !ok {
		action = Create
		st = Stack{
			ID: r.UID, Name: r.FullName, ProjectID: f.stack.ProjectID, UserID: f.stack.UserID, UserName: f.stack.UserName,
			ParentID: f.stack.ID, ParentResource: r.Name, RootID: f.stack.RootID, DisableRollback: true,
			TimeoutMins: f.stack.TimeoutMins, Created: e.now(),
		}
	}
	if st.Action == Create && st.Status == InProgress {
		action = Create
	}
	st.Given = given
	if err := e.begin(&st, action, &Source{Template: raw}); err != nil {
		return err
	}
	child, err := e.frame(ctx, st, raw, f.root, f.depth+1, false)
	if err == nil {
		err = child.converge(ctx, action)
	}
	return e.finish(ctx, st, action, err)
}

// removeChild deletes a nested stack and all its records.
func (e *Engine) removeChild(ctx context.Context, r Resource) error {
	st, ok := state.Load(e.store, stacks, r.UID)
	if !ok {
		return nil
	}
	if err := e.begin(&st, Delete, nil); err != nil {
		return err
	}
	if err := e.loadForDelete(ctx, st).removeAll(ctx); err != nil {
		return e.finish(ctx, st, Delete, err)
	}
	return e.forget(st)
}
