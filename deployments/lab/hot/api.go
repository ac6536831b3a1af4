package hot

import (
	"context"
	"regexp"
	"slices"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Request is what a client sends to make or change a stack. Nil members were not given.
type Request struct {
	Name            string
	ProjectID       string
	UserID          string
	UserName        string
	Template        map[string]any
	Files           map[string]string
	Environment     Environment
	Parameters      map[string]any
	Clear           []string // parameters to forget, in a patch
	TimeoutMins     int
	DisableRollback *bool
	Tags            []string
	// Existing makes an update a patch: a member that the request does not give stays as it was.
	Existing bool
}

var validName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.-]{0,254}$`)

// CreateStack checks the request and starts to make the stack.
func (e *Engine) CreateStack(ctx context.Context, req Request) (Stack, error) {
	st, src, err := e.checked(ctx, req)
	if err != nil {
		return Stack{}, err
	}
	if err := e.insert(&st, src); err != nil {
		return Stack{}, err
	}
	e.start(st, func(ctx context.Context) error { return e.runConverge(ctx, st) })
	return st, nil
}

// PreviewStack does the same checks as CreateStack, and makes nothing.
func (e *Engine) PreviewStack(ctx context.Context, req Request) error {
	_, _, err := e.checked(ctx, req)
	return err
}

// checked builds and validates the stack of a request.
func (e *Engine) checked(ctx context.Context, req Request) (Stack, Source, error) {
	src := Source{Template: req.Template, Files: req.Files, Environment: req.Environment}
	if !validName.MatchString(req.Name) {
		return Stack{}, src, invalid(`Invalid stack name %s must contain only alphanumeric or "_-." characters, must start with alpha and must be 255 characters or less.`, req.Name)
	}
	st := Stack{
		ID: uuid.NewString(), Name: req.Name, ProjectID: req.ProjectID, UserID: req.UserID, UserName: req.UserName,
		Given: merged(req.Environment.Parameters, req.Parameters), TimeoutMins: req.TimeoutMins, DisableRollback: true,
		Tags: req.Tags, Created: e.now(),
	}
	if req.DisableRollback != nil {
		st.DisableRollback = *req.DisableRollback
	}
	st.RootID = st.ID
	if _, exists := e.byName(req.ProjectID, req.Name); exists {
		return Stack{}, src, alreadyExists(req.Name)
	}
	return st, src, e.checkWhole(ctx, &st, src)
}

func alreadyExists(name string) error {
	return errorf(StackExists, "The Stack (%s) already exists.", name)
}

// insert writes a new stack unless another request took its name meanwhile.
func (e *Engine) insert(st *Stack, src Source) error {
	st.Action, st.Status, st.Reason, st.Started = Create, InProgress, "Stack CREATE started", e.now()
	err := e.store.Update(func(tx *state.Tx) error {
		for _, other := range stacks.All(tx) {
			if other.Deleted.IsZero() && !other.Nested() && other.ProjectID == st.ProjectID && other.Name == st.Name {
				return alreadyExists(st.Name)
			}
		}
		if err := sources.Put(tx, st.ID, src); err != nil {
			return err
		}
		return stacks.Put(tx, st.ID, *st)
	})
	if err != nil {
		return err
	}
	return e.stackEvent(*st)
}

// checkWhole validates the stack that the request would make.
func (e *Engine) checkWhole(ctx context.Context, st *Stack, src Source) error {
	f, err := e.frame(ctx, *st, src.Template, src, 0, true)
	if err != nil {
		return err
	}
	st.Description = f.tmpl.Description
	return f.validate()
}

// Validate checks a template without making anything of it.
func (e *Engine) Validate(ctx context.Context, req Request) (*Template, error) {
	t, err := FromMap(req.Template)
	if err != nil {
		return nil, err
	}
	st := Stack{
		ID: uuid.NewString(), Name: "validated", ProjectID: req.ProjectID,
		Given: merged(req.Environment.Parameters, req.Parameters),
	}
	for name, p := range t.Parameters {
		if _, given := st.Given[name]; !given && !p.HasDefault {
			st.Given[name] = Unknown // the validation tests only the values that the request gives
		}
	}
	src := Source{Template: req.Template, Files: req.Files, Environment: req.Environment}
	return t, e.checkWhole(ctx, &st, src)
}

// UpdateStack checks the request and starts to change the stack; it cancels an action that is under way.
func (e *Engine) UpdateStack(ctx context.Context, id string, req Request) error {
	defer e.lock(id)()
	st, ok := state.Load(e.store, stacks, id)
	if !ok || !st.Deleted.IsZero() {
		return notFound("Stack", id)
	}
	if st.Action == Delete {
		return errorf("NotSupported", "Updating a stack when it is deleting is not supported. (%s)", st.Name)
	}
	src, _ := state.Load(e.store, sources, id)
	if req.Existing {
		src = patch(src, req)
		st.Given = merged(st.Given, merged(req.Environment.Parameters, req.Parameters))
		for _, name := range req.Clear {
			delete(st.Given, name)
		}
	} else {
		src = Source{Template: req.Template, Files: req.Files, Environment: req.Environment}
		st.Given = merged(req.Environment.Parameters, req.Parameters)
	}
	if req.TimeoutMins > 0 {
		st.TimeoutMins = req.TimeoutMins
	}
	if req.DisableRollback != nil {
		st.DisableRollback = *req.DisableRollback
	}
	if req.Tags != nil {
		st.Tags = req.Tags
	}
	if err := e.checkWhole(ctx, &st, src); err != nil {
		return err
	}
	e.takeOver(st)
	if err := e.begin(&st, Update, &src); err != nil {
		return err
	}
	e.start(st, func(ctx context.Context) error { return e.runConverge(ctx, st) })
	return nil
}

// takeOver cancels every action on a root stack and waits until they have ended. Nothing else then overwrites the
// records that the caller writes next.
func (e *Engine) takeOver(st Stack) {
	e.mu.Lock()
	var before []*run
	for r := range e.running {
		if r.rootID == st.ID {
			r.cancel(errSuperseded)
			before = append(before, r)
		}
	}
	e.mu.Unlock()
	for _, r := range before {
		<-r.done
	}
}

func patch(src Source, req Request) Source {
	if req.Template != nil {
		src.Template = req.Template
	}
	src.Files = merged(src.Files, req.Files)
	src.Environment = src.Environment.Merge(req.Environment)
	return src
}

// DeleteStack starts to remove a stack, whatever state it is in.
func (e *Engine) DeleteStack(id string) error {
	defer e.lock(id)()
	st, ok := state.Load(e.store, stacks, id)
	if !ok || !st.Deleted.IsZero() {
		return notFound("Stack", id)
	}
	if st.Action == Delete && st.Status == InProgress && e.busy(id) {
		return nil
	}
	e.takeOver(st)
	if st, ok = state.Load(e.store, stacks, id); !ok || !st.Deleted.IsZero() {
		return nil
	}
	if err := e.begin(&st, Delete, nil); err != nil {
		return err
	}
	e.start(st, func(ctx context.Context) error { return e.runDelete(ctx, st) })
	return nil
}

func (e *Engine) runDelete(ctx context.Context, st Stack) error {
	if err := e.loadForDelete(ctx, st).removeAll(ctx); err != nil {
		return e.finish(ctx, st, Delete, err)
	}
	return e.buried(st)
}

// keptDeleted is how many deleted stacks can still be read. Heat, too, shows deleted stacks until it purges them.
const keptDeleted = 100

// buried turns a stack's record into the record of a deleted stack.
func (e *Engine) buried(st Stack) error {
	st.Action, st.Status, st.Reason = Delete, Complete, "Stack DELETE completed successfully"
	st.Deleted = e.now()
	if err := e.stackEvent(st); err != nil {
		return err
	}
	return e.store.Update(func(tx *state.Tx) error {
		if err := stacks.Put(tx, st.ID, st); err != nil {
			return err
		}
		var dead []Stack
		for _, other := range stacks.All(tx) {
			if !other.Deleted.IsZero() {
				dead = append(dead, other)
			}
		}
		slices.SortFunc(dead, func(a, b Stack) int { return b.Deleted.Compare(a.Deleted) })
		for _, old := range dead[min(len(dead), keptDeleted):] {
			if err := purge(tx, old.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func purge(tx *state.Tx, id string) error {
	if err := stacks.Delete(tx, id); err != nil {
		return err
	}
	if err := sources.Delete(tx, id); err != nil {
		return err
	}
	return events.DeletePrefix(tx, id+"/")
}
