// Package auth identifies the sender of a request to the API, and the sender's permissions: by a client's certificate,
// a token of OAuth 2.0 or a token of Keystone. It knows nothing of resources; the API server knows the needs of its
// routes.
package auth

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Identity is an authenticated client.
type Identity struct {
	// Client is the client's name in the log, in the audit log and for its rate limit: unique over all ways to
	// authenticate.
	Client string
	// Project owns the resources that the client makes.
	Project lcm.ProjectID
	// Scopes are the client's permissions, in the words of Scope.
	Scopes []string
	// Until is when its credentials end; zero: never.
	Until time.Time
}

// Scope returns which resources the client sees: an administrator all of them.
func (i Identity) Scope() lcm.Scope {
	return lcm.Scope{Project: i.Project, All: i.May(Need{Access: Admin})}
}

// Access is the level of access to an API that a request needs, or a scope grants; each level includes the ones before
// it.
type Access int

// The levels of access.
const (
	Read  Access = iota + 1 // requests that change nothing
	Write                   // changes within the client's own project
	Admin                   // everything, in every project
)

// The scopes of all APIs together. A scope of one API is its name and major version with a permission from below, such
// as "vnflcm:v2:all". Or it ends with a task, such as "vnflcm:v2:heal": it then allows only this task, no reading.
const (
	ScopeRead  = "windlass:read"
	ScopeWrite = "windlass:write"
	ScopeAdmin = "windlass:admin"

	permissionAll      = ":all"
	permissionReadonly = ":readonly"
)

// Need is the access that a request needs to one of the APIs.
type Need struct {
	// APIs are names with versions, such as "vnflcm:v1"; access to any of them is enough. If empty, only the scopes of
	// all APIs count.
	APIs   []string
	Access Access
	// Task names the task of a request with Write access, such as "instantiate": a scope for this task of one API is
	// enough. "" for none.
	Task string
}

// Scopes lists the scopes that meet the need, the narrowest first.
func (n Need) Scopes() []string {
	var out []string
	if n.Access == Write && n.Task != "" {
		for _, api := range n.APIs {
			out = append(out, api+":"+n.Task)
		}
	}
	for _, api := range n.APIs {
		if n.Access == Read {
			out = append(out, api+permissionReadonly)
		}
		if n.Access <= Write {
			out = append(out, api+permissionAll)
		}
	}
	global := []string{ScopeRead, ScopeWrite, ScopeAdmin}
	return append(out, global[max(n.Access, Read)-1:]...)
}

// May tells whether the client's scopes meet the need.
func (i Identity) May(n Need) bool {
	return slices.ContainsFunc(n.Scopes(), func(s string) bool { return slices.Contains(i.Scopes, s) })
}

// ScopeFor is the scope of all APIs for a role of the settings: "read", "write" or "admin".
func ScopeFor(role string) (scope string, ok bool) {
	scope = "windlass:" + role
	return scope, scope == ScopeRead || scope == ScopeWrite || scope == ScopeAdmin
}

// Nobody is every client of a server without authentication: an administrator of the default project.
var Nobody = Identity{Client: "anybody", Project: lcm.DefaultProject, Scopes: []string{ScopeAdmin}}

type identityKey struct{}

// With keeps the sender of a request in its context, and limits the context to the resources that the sender may see.
func With(ctx context.Context, i Identity) context.Context {
	return lcm.WithScope(context.WithValue(ctx, identityKey{}, i), i.Scope())
}

// From returns the sender of the request; false if it is not known yet.
func From(ctx context.Context) (Identity, bool) {
	i, ok := ctx.Value(identityKey{}).(Identity)
	return i, ok
}

// Method is one way to authenticate.
type Method interface {
	// Authenticate identifies the sender of a request. given is false if the request has no credentials for this method.
	// An error is a *RefusalError, or an *lcm.Error if the client could not be looked up.
	Authenticate(r *http.Request) (i Identity, given bool, err error)
	// Challenge is the WWW-Authenticate header of a 401; refused is the reason, nil when nothing was given.
	Challenge(refused *RefusalError) string
}

// RefusalError is why a client's credentials are not good.
type RefusalError struct {
	// Malformed credentials are none at all: a 400 (SOL013 clause 8.3.2), not a 401.
	Malformed bool
	// Unknown means that the credentials are good, but no setting gives their owner permissions: a 403.
	Unknown bool
	// Detail is a sentence for the client. It holds no part of the credentials.
	Detail string
	// Err is the cause, for the log.
	Err error
}

func (r *RefusalError) Error() string {
	if r.Err != nil {
		return r.Detail + " " + r.Err.Error()
	}
	return r.Detail
}

func (r *RefusalError) Unwrap() error { return r.Err }

// quoted makes a quoted-string of RFC 9110 clause 5.6.4.
func quoted(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(clean) + `"`
}
