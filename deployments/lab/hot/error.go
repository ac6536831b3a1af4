package hot

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a refusal in Heat's words: Type is the name of Heat's exception class.
type Error struct {
	Type    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// The exception classes that callers distinguish.
const (
	NotFound         = "EntityNotFound"
	StackExists      = "StackExists"
	ValidationFailed = "StackValidationFailed"
	ActionInProgress = "ActionInProgress"
	ParameterMissing = "UserParameterMissing"
	UnknownParameter = "UnknownUserParameter"
	InvalidTemplate  = "InvalidTemplateVersion"
)

func errorf(typ, format string, args ...any) *Error {
	return &Error{Type: typ, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Error {
	return errorf(ValidationFailed, format, args...)
}

func notFound(entity, name string) *Error {
	return errorf(NotFound, "The %s (%s) could not be found.", entity, name)
}

// Failure says why a resource failed, with the path to it through nested stacks. Heat shows its text in status reasons:
// "Forbidden: resources.group.resources.member: Quota exceeded ...".
type Failure struct {
	Action  string // of the resource at the head of Path
	Type    string
	Path    []string
	Message string
}

func (f *Failure) Error() string {
	if len(f.Path) == 0 {
		return f.Type + ": " + f.Message
	}
	steps := make([]string, 0, len(f.Path))
	for _, p := range f.Path {
		steps = append(steps, "resources."+p)
	}
	return f.Type + ": " + strings.Join(steps, ".") + ": " + f.Message
}

// below wraps err in a Failure for the parent of resource name.
func below(name, action string, err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return &Failure{Action: action, Type: f.Type, Path: append([]string{name}, f.Path...), Message: f.Message}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return &Failure{Action: action, Type: e.Type, Path: []string{name}, Message: e.Message}
	}
	return &Failure{Action: action, Type: "Error", Path: []string{name}, Message: err.Error()}
}
