package lcm

import "context"

// ProjectID names a project: who packages, VIMs, VNF instances, operations and subscriptions belong to. It is whatever
// authenticates clients that gives it: a Keystone project's id, a claim of a token, a name in the settings.
type ProjectID string

// DefaultProject is the project of everything when clients are not told apart, and of what is older than projects.
const DefaultProject ProjectID = "default"

// Scope is which resources a caller sees.
type Scope struct {
	// Project owns what the caller makes. Names (of VIMs, VNFDs) are looked up in it only. Who has none makes nothing,
	// and looks up nothing by name.
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

// ScopeOf is the scope of a context. One that nobody has limited is Windlass's own: a relay or a reconciler that looks
// through what there is, in every project and of none. It reads by id only.
func ScopeOf(ctx context.Context) Scope {
	if s, ok := ctx.Value(scopeKey{}).(Scope); ok {
		return s
	}
	return Scope{All: true}
}

// OwnProject is the project of a context in which something is made or looked up by its name. A context without one is
// a Bug: what is of no project in particular must not be taken from, or put into, somebody's.
func OwnProject(ctx context.Context, what string) (ProjectID, error) {
	if id := ScopeOf(ctx).Project; id != "" {
		return id, nil
	}
	return "", Errorf(KindBug, "Windlass was to %s, but did not know the project.", what)
}

// Subject is what a piece of work is about; one of its members is given. The work is in the project of that.
type Subject struct {
	OpOccID        OpOccID
	VnfInstanceID  VnfInstanceID
	VnfPkgID       VnfPkgID
	SubscriptionID SubscriptionID
	DeliveryID     int64
}
