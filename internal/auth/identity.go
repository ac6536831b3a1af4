// Package auth tells who sends a request to the API and what they may do: by a client's certificate, a token of OAuth
// 2.0 or one of Keystone. It knows nothing of resources; what a route needs is the API server's business.
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
	// Client names it in the log, in the audit log and for its rate limit: unique over all ways to authenticate.
	Client string
	// Project owns what it makes.
	Project lcm.ProjectID
	// Scopes are what it may do, in the words of Scope.
	Scopes []string
	// Until is when its credentials end; zero: never.
	Until time.Time
}

// Scope returns which resources the client sees: an administrator all of them.
func (i Identity) Scope() lcm.Scope {
	return lcm.Scope{Project: i.Project, All: i.May(Need{Access: Admin})}
}

// Access is how much of an API a request needs, or a scope grants; each includes the ones before it.
type Access int

// The levels of access.
const (
	Read  Access = iota + 1 // what changes nothing
	Write                   // what changes something of the client's own project
	Admin                   // everything, in every project
)

// The scopes of all APIs together. Those of one API are its name and major version with one of the permissions below,
// such as "vnflcm:v2:all", or with a task, such as "vnflcm:v2:heal": that and nothing else, reading included.
const (
	ScopeRead  = "windlass:read"
	ScopeWrite = "windlass:write"
	ScopeAdmin = "windlass:admin"

	permissionAll      = ":all"
	permissionReadonly = ":readonly"
)

// Need is what a request needs: this access to one of the APIs.
type Need struct {
	// APIs are names with versions, such as "vnflcm:v1"; any of them will do. None: only the scopes of all APIs count.
	APIs   []string
	Access Access
	// Task names what a request of Write does, such as "instantiate": the scope of one API with it is enough. "" for none.
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

// Nobody is everybody where nobody is asked who they are: an administrator of the default project.
var Nobody = Identity{Client: "anybody", Project: lcm.DefaultProject, Scopes: []string{ScopeAdmin}}

type identityKey struct{}

// With keeps who sends a request in its context, and limits the context to what they see.
func With(ctx context.Context, i Identity) context.Context {
	return lcm.WithScope(context.WithValue(ctx, identityKey{}, i), i.Scope())
}

// From returns who sends the request; false before that is known.
func From(ctx context.Context) (Identity, bool) {
	i, ok := ctx.Value(identityKey{}).(Identity)
	return i, ok
}

// Method is one way to authenticate.
type Method interface {
	// Authenticate tells who sends the request. given is false when the request has nothing for this method. An error is a
	// *RefusalError, or an *lcm.Error when the client could not be looked up.
	Authenticate(r *http.Request) (i Identity, given bool, err error)
	// Challenge is the WWW-Authenticate header of a 401; refused is the reason, nil when nothing was given.
	Challenge(refused *RefusalError) string
}

// RefusalError is why a client's credentials are not good.
type RefusalError struct {
	// Malformed credentials are none at all: a 400 (SOL013 clause 8.3.2), not a 401.
	Malformed bool
	// Unknown credentials are good, but nobody has said what their owner may do: a 403.
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
