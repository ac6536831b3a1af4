package hot

import (
	"cmp"
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func (e *Engine) byName(project, name string) (Stack, bool) {
	for _, st := range state.LoadAll(e.store, stacks, "") {
		if st.Deleted.IsZero() && !st.Nested() && st.ProjectID == project && st.Name == name {
			return st, true
		}
	}
	return Stack{}, false
}

// Find looks a stack up by name or id. It finds a deleted stack by id only, and a nested stack by id or full name.
func (e *Engine) Find(project, identity string) (Stack, error) {
	if st, ok := state.Load(e.store, stacks, identity); ok && (project == "" || st.ProjectID == project) {
		return st, nil
	}
	var nested Stack
	for _, st := range state.LoadContaining(e.store, stacks, []string{identity}) {
		if st.Name != identity || !st.Deleted.IsZero() || project != "" && st.ProjectID != project {
			continue
		}
		if !st.Nested() {
			return st, nil
		}
		nested = st
	}
	if nested.ID != "" {
		return nested, nil
	}
	return Stack{}, notFound("Stack", identity)
}

// List returns a project's stacks, newest first. Names limit the list to those stacks; project "" lists all projects.
func (e *Engine) List(project string, nested, deleted bool, names ...string) []Stack {
	var all, out []Stack
	if len(names) > 0 {
		all = state.LoadContaining(e.store, stacks, names)
		all = slices.DeleteFunc(all, func(st Stack) bool { return !slices.Contains(names, st.Name) })
	} else {
		all = state.LoadAll(e.store, stacks, "")
	}
	for _, st := range all {
		if project != "" && st.ProjectID != project || st.Nested() && !nested || !st.Deleted.IsZero() && !deleted {
			continue
		}
		out = append(out, st)
	}
	slices.SortFunc(out, func(a, b Stack) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	return out
}

// Template returns the template and the source of a stack.
func (e *Engine) Template(st Stack) (template map[string]any, root Source) {
	root, _ = state.Load(e.store, sources, st.RootID)
	if !st.Nested() {
		return root.Template, root
	}
	own, _ := state.Load(e.store, sources, st.ID)
	return own.Template, root
}

// Located is a resource with the stack it belongs to.
type Located struct {
	Stack      Stack
	Resource   Resource
	RequiredBy []string
	// Child is the nested stack of the resource, if it has one.
	Child *Stack
}

// ListResources returns a stack's resources and the resources of nested stacks, down to depth levels.
func (e *Engine) ListResources(st Stack, depth int) []Located {
	rows := state.LoadAll(e.store, resources, st.ID+"/")
	rows = slices.DeleteFunc(rows, func(r Resource) bool { return r.Replaced })
	slices.SortFunc(rows, func(a, b Resource) int { return cmp.Compare(a.Name, b.Name) })
	var out []Located
	for _, r := range rows {
		l := Located{Stack: st, Resource: r, RequiredBy: requiredBy(rows, r.Name)}
		child, isStack := state.Load(e.store, stacks, r.UID)
		if isStack {
			l.Child = &child
		}
		out = append(out, l)
		if isStack && depth > 0 {
			out = append(out, e.ListResources(child, depth-1)...)
		}
	}
	return out
}

// Owners maps the id of each resource in the cloud to the name of its root stack. It includes resources that will be
// deleted soon. A server's name does not identify its stack: a long name is shortened.
func (e *Engine) Owners() map[string]string {
	roots, owners := map[string]string{}, map[string]string{}
	all := e.List("", true, false)
	for _, st := range all {
		roots[st.ID] = st.Name
	}
	for _, st := range all {
		for _, r := range state.LoadAll(e.store, resources, st.ID+"/") {
			owners[r.Physical] = roots[st.RootID]
		}
	}
	return owners
}

func requiredBy(rows []Resource, name string) []string {
	out := []string{}
	for _, r := range rows {
		if slices.Contains(r.Requires, name) {
			out = append(out, r.Name)
		}
	}
	return out
}

// GetResource finds a resource of a stack by name.
func (e *Engine) GetResource(st Stack, name string) (Located, error) {
	for _, l := range e.ListResources(st, 0) {
		if l.Resource.Name == name {
			return l, nil
		}
	}
	return Located{}, notFound("Resource", name)
}

// Attributes evaluates every available attribute of a resource.
func (e *Engine) Attributes(ctx context.Context, l Located) map[string]any {
	f, err := e.load(ctx, l.Stack)
	if err != nil {
		return map[string]any{}
	}
	k, err := f.kind(l.Resource.Type)
	if err != nil || l.Resource.Physical == "" {
		return map[string]any{}
	}
	out := map[string]any{}
	if v, err := k.attr(f, l.Resource, "", nil); err == nil {
		if all, ok := v.(map[string]any); ok {
			out = all
		}
	}
	if k.isStack() {
		for _, attr := range []string{"refs", "refs_map"} {
			if v, err := k.attr(f, l.Resource, attr, nil); err == nil && v != nil {
				out[attr] = v
			}
		}
	}
	return out
}

// Events returns the events of a stack, and of the stacks below it down to depth levels, oldest first.
func (e *Engine) Events(st Stack, depth int) (out []Event) {
	_ = e.store.View(func(tx *state.Tx) error { // one snapshot: else a marker would skip events written in between
		out = eventsOf(tx, st.ID, depth)
		return nil
	})
	slices.SortStableFunc(out, func(a, b Event) int { return a.At.Compare(b.At) })
	return out
}

func eventsOf(tx *state.Tx, stackID string, depth int) []Event {
	out := events.Prefix(tx, stackID+"/")
	if depth <= 0 {
		return out
	}
	for _, r := range resources.Prefix(tx, stackID+"/") {
		if _, isStack := stacks.Get(tx, r.UID); isStack && !r.Replaced {
			out = append(out, eventsOf(tx, r.UID, depth-1)...)
		}
	}
	return out
}

// Holder returns the stack that an event belongs to: root or a stack below it. It returns root if that stack is gone.
func (e *Engine) Holder(ev Event, root Stack) Stack {
	if st, ok := state.Load(e.store, stacks, ev.StackID); ok {
		return st
	}
	return root
}

// Types lists every resource type that a template may name.
func (e *Engine) Types() []string {
	out := e.cloud.Types()
	for name := range builtins {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// SchemaOf describes a resource type.
func (e *Engine) SchemaOf(typ string) (Schema, error) {
	if k, ok := builtins[typ]; ok {
		return k.schema(), nil
	}
	if s, ok := e.cloud.Schema(typ); ok {
		return s, nil
	}
	return Schema{}, notFound("Resource Type", typ)
}
