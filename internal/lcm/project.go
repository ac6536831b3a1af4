package lcm

import "context"

// ProjectID names a project: who packages, VIMs, VNF instances, operations and subscriptions belong to. It is whatever
// authenticates clients that gives it: a Keystone project's id, a claim of a token, a name in the settings.
type ProjectID string

// DefaultProject is the project of everything when clients are not told apart, and of what is older than projects.
const DefaultProject ProjectID = "default"

// Scope is which resources a caller sees.
type Scope struct {
	// Project owns what the caller makes. Names (of VIMs, VNFDs) are looked up in it only.
	Project ProjectID
	// All sees the resources of every project.
	All bool
}

type scopeKey struct{}

// WithScope limits what is done with the context to a scope.
func WithScope(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// InProject limits what is done with the context to one project, whatever the caller could see.
func InProject(ctx context.Context, id ProjectID) context.Context {
	return WithScope(ctx, Scope{Project: id})
}

// ScopeOf is the scope of a context. One that nobody has limited is Windlass's own work, which knows every project.
func ScopeOf(ctx context.Context) Scope {
	if s, ok := ctx.Value(scopeKey{}).(Scope); ok {
		return s
	}
	return Scope{Project: DefaultProject, All: true}
}
