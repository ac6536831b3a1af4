package hot

// Forbidden is the type of an error for a resource type that a user may not use.
const Forbidden = "Forbidden"

// Guard is implemented by Resources some of whose types are not for everybody.
type Guard interface {
	// MayUse refuses a type to a user of a project, before anything of the stack is made.
	MayUse(user, project, typ string) error
}

// mayUse asks for a resource that the stack is to have: one whose condition is false is not asked for.
func (f *frame) mayUse(typ string) error {
	guard, guarded := f.e.cloud.(Guard)
	if !guarded {
		return nil
	}
	return guard.MayUse(f.stack.UserID, f.stack.ProjectID, f.root.Environment.target(typ))
}
