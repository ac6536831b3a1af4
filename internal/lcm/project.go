package lcm

import "context"

// ProjectID names a project, the owner of packages, VIMs, VNF instances, operations and subscriptions. The
// authentication of clients supplies it: the id of a Keystone project, a claim of a token, or a name in the settings.
type ProjectID string

// DefaultProject is the project of all resources when clients are not told apart, and of resources that are older than
// projects.
const DefaultProject ProjectID = "default"

// Scope limits the resources that a caller sees.
type Scope struct {
	// Project owns the resources that the caller makes. Names (of VIMs, VNFDs) are looked up in this project only. A
	// caller without a project makes nothing and looks up nothing by name.
	Project ProjectID
	// All sees the resources of every project.
	All bool
}

type scopeKey struct{}

// WithScope limits work with the context to a scope.
func WithScope(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// InProject limits work with the context to one project, even if the caller could see more.
func InProject(ctx context.Context, id ProjectID) context.Context {
	return WithScope(ctx, Scope{Project: id})
}

// ScopeOf returns the scope of a context. A context without a limit is Windlass's own: a relay or a reconciler works
// through the resources of all projects, belongs to none, and reads by id only.
func ScopeOf(ctx context.Context) Scope {
	if s, ok := ctx.Value(scopeKey{}).(Scope); ok {
		return s
	}
	return Scope{All: true}
}

// OwnProject returns the context's project, where Windlass makes a resource or looks it up by name. A context without a
// project is a Bug: such work must not read from, or write to, some client's project.
func OwnProject(ctx context.Context, what string) (ProjectID, error) {
	if id := ScopeOf(ctx).Project; id != "" {
		return id, nil
	}
	return "", Errorf(KindBug, "Windlass was to %s, but did not know the project.", what)
}

// Subject is the resource that a piece of work is about; exactly one member is set. The work runs in the project of
// that resource.
type Subject struct {
	OpOccID        OpOccID
	VnfInstanceID  VnfInstanceID
	VnfPkgID       VnfPkgID
	SubscriptionID SubscriptionID
	DeliveryID     int64
}
