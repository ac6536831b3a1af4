package hot

// Forbidden is the type of an error for a resource type that a user may not use.
const Forbidden = "Forbidden"

// Guard is implemented by Resources that restrict some types to some users.
type Guard interface {
	// MayUse refuses a type to a user of a project, before any resource of the stack is made.
	MayUse(user, project, typ string) error
}

// mayUse checks the type of each resource that the stack creates; resources whose condition is false are not checked.
func (f *frame) mayUse(typ string) error {
	guard, guarded := f.e.cloud.(Guard)
	if !guarded {
		return nil
	}
	return guard.MayUse(f.stack.UserID, f.stack.ProjectID, f.root.Environment.target(typ))
}
