package hot

import (
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// frame is the working state of one stack: the parsed template, the resolved parameters and the resources. It is the
// Scope of the template's functions.
type frame struct {
	e      *Engine
	ctx    context.Context //nolint:containedctx // a frame lives as long as the action it serves
	stack  Stack
	root   Source // files and environment
	tmpl   *Template
	params Parameters
	defs   map[string]Definition // only resources whose condition holds
	deps   map[string][]string
	after  map[string][]string // the resources created before it; includes deps
	depth  int
	static bool // no resource exists yet: unknown values are Unknown

	mu   sync.Mutex
	rows map[string]Resource // the current record of each name
	old  []Resource          // replaced resources, to be deleted
}

// frame parses a stack's template and resolves its parameters.
func (e *Engine) frame(
	ctx context.Context, st Stack, raw map[string]any, root Source, depth int, static bool,
) (*frame, error) {
	tmpl, err := FromMap(raw)
	if err != nil {
		return nil, err
	}
	f := &frame{
		e: e, ctx: ctx, stack: st, root: root, tmpl: tmpl, depth: depth, static: static, rows: map[string]Resource{},
	}
	var check Check // only for new requests: a stack whose image is gone must still be readable
	if static {
		check = func(constraint, value string) error { return e.cloud.Check(st.ProjectID, constraint, value) }
	}
	if f.params, err = tmpl.Resolve(st.Given, root.Environment.Defaults, check); err != nil {
		return nil, err
	}
	f.defs = map[string]Definition{}
	for name, d := range tmpl.Resources {
		yes, err := f.eval().Condition(d.Condition)
		if err != nil {
			return nil, err
		}
		if yes {
			f.defs[name] = d
		}
	}
	if f.deps, err = Dependencies(f.defs); err != nil {
		return nil, err
	}
	f.after = Awaited(f.defs, f.deps, f.isStack)
	for _, r := range state.LoadAll(e.store, resources, st.ID+"/") {
		if r.Replaced {
			f.old = append(f.old, r)
		} else {
			f.rows[r.Name] = r
		}
	}
	return f, nil
}

// load makes the frame of a stored stack.
func (e *Engine) load(ctx context.Context, st Stack) (*frame, error) {
	root, _ := state.Load(e.store, sources, st.RootID)
	own := root
	if st.Nested() {
		own, _ = state.Load(e.store, sources, st.ID)
	}
	return e.frame(ctx, st, own.Template, root, e.depthOf(st), false)
}

func (e *Engine) depthOf(st Stack) int {
	depth := 0
	for st.Nested() {
		parent, ok := state.Load(e.store, stacks, st.ParentID)
		if !ok {
			break
		}
		st = parent
		depth++
	}
	return depth
}

func (f *frame) eval() *Evaluator { return &Evaluator{Template: f.tmpl, Scope: f} }

func (f *frame) row(name string) (Resource, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.rows[name]
	return r, ok
}

// put writes a record.
func (f *frame) put(r Resource) error {
	r.Updated = f.e.now()
	f.mu.Lock()
	f.rows[r.Name] = r
	f.mu.Unlock()
	return state.Save(f.e.store, resources, r.key(), r)
}

// newRow makes the record of a resource that does not exist yet. It sets the ids here, so that a later engine finds the
// resource whatever happens next.
func (f *frame) newRow(d Definition, k kind) Resource {
	return Resource{
		UID: uuid.NewString(), StackID: f.stack.ID, Name: d.Name, Type: d.Type,
		FullName: fullName(f.stack.Name, d.Name, !k.isStack()),
		Action:   Init, Status: Complete, Created: f.e.now(), Retain: d.DeletePol == "retain",
	}
}

// properties resolves a definition's properties; a null property counts as not given.
func (f *frame) properties(d Definition) (map[string]any, error) {
	v, err := f.eval().Eval(d.Properties)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	m, _ := v.(map[string]any)
	for name, value := range m {
		if value != nil {
			out[name] = value
		}
	}
	return out, nil
}

func (f *frame) item(r Resource) Item {
	return Item{
		UID: r.UID, Type: f.root.Environment.target(r.Type), Name: r.Name, FullName: r.FullName, Physical: r.Physical,
		StackID: f.stack.ID, StackName: f.stack.Name, RootID: f.stack.RootID, ProjectID: f.stack.ProjectID,
		UserID: f.stack.UserID, Properties: r.Properties, Exists: func(string) {},
	}
}

// Param is get_param.
func (f *frame) Param(name string) (any, error) {
	switch name {
	case "OS::stack_name":
		return f.stack.Name, nil
	case "OS::stack_id":
		return f.stack.ID, nil
	case "OS::project_id":
		return f.stack.ProjectID, nil
	}
	if v, ok := f.params.Values[name]; ok {
		return v, nil
	}
	return nil, errorf(ParameterMissing, "The Parameter (%s) was not provided.", name)
}

// File is get_file.
func (f *frame) File(name string) (string, error) {
	if content, ok := f.root.Files[name]; ok {
		return content, nil
	}
	return "", invalid(`No content found in the "files" section for get_file path: %s`, name)
}

// Ref is get_resource.
func (f *frame) Ref(name string) (any, error) {
	if _, ok := f.defs[name]; !ok {
		if _, known := f.tmpl.Resources[name]; known {
			return nil, nil //nolint:nilnil // its condition is false
		}
		return nil, errorf("InvalidTemplateReference", `The specified reference "%s" is incorrect.`, name)
	}
	if f.static {
		return Unknown, nil
	}
	r, ok := f.row(name)
	if !ok {
		return name, nil // Heat's default before the resource exists
	}
	k, err := f.kind(r.Type)
	if err != nil {
		return nil, err
	}
	return k.ref(f, r), nil
}

// Attr is get_attr.
func (f *frame) Attr(name, attr string, path []any) (any, error) {
	d, ok := f.defs[name]
	if !ok {
		if _, known := f.tmpl.Resources[name]; known {
			return nil, nil //nolint:nilnil // its condition is false
		}
		return nil, errorf("InvalidTemplateReference", `The specified reference "%s" is incorrect.`, name)
	}
	k, err := f.kind(d.Type)
	if err != nil {
		return nil, err
	}
	if f.static {
		if !k.schema().tells(attr) {
			return nil, badAttribute(name, attr)
		}
		return Unknown, nil
	}
	r, ok := f.row(name)
	if !ok || r.Physical == "" || r.Action == Init {
		return nil, nil //nolint:nilnil // Heat's answer before the resource exists
	}
	return k.attr(f, r, attr, path)
}

func badAttribute(name, attr string) error {
	return errorf("InvalidTemplateAttribute", "The Referenced Attribute (%s %s) is incorrect.", name, attr)
}

// tells reports whether a type has an attribute; a schema without attributes accepts all names.
func (s Schema) tells(attr string) bool {
	if attr == "" || attr == "show" || s.Attributes == nil {
		return true
	}
	return slices.Contains(s.Attributes, attr)
}
