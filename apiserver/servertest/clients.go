package servertest

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Two projects, and an administrator of all projects.
var (
	Edge = As("edge", "windlass:write")
	Core = As("core", "windlass:write")
	Ops  = As("default", "windlass:admin")
)

// HeaderAuth trusts a header: "X-Test: client project scope scope".
type HeaderAuth struct{ Down error }

// Authenticate is a method of apiserver.Authenticator.
func (h HeaderAuth) Authenticate(r *http.Request) (auth.Identity, error) {
	words := strings.Fields(r.Header.Get("X-Test"))
	switch {
	case h.Down != nil:
		return auth.Identity{}, h.Down
	case len(words) == 1:
		return auth.Identity{}, &auth.UnauthenticatedError{RefusalError: &auth.RefusalError{
			Malformed: words[0] == "malformed", Unknown: words[0] == "unknown", Detail: "That is not good.",
			Err: errors.New("the cause"),
		}, Challenges: []string{"Bearer", "Keystone"}}
	case len(words) < 2:
		return auth.Identity{}, &auth.UnauthenticatedError{
			RefusalError: &auth.RefusalError{Detail: "Nothing was given."},
			Challenges:   []string{"Bearer"},
		}
	}
	return auth.Identity{Client: words[0], Project: lcm.ProjectID(words[1]), Scopes: words[2:]}, nil
}

// WithAuth makes the server ask for credentials.
func WithAuth(o *apiserver.Options) { o.Auth = HeaderAuth{} }

// As returns the header of a client of this project with these scopes.
func As(project string, scopes ...string) string {
	return "X-Test: client-of-" + project + " " + project + " " + strings.Join(scopes, " ")
}

// AllEvents is the stream of all operations.
const AllEvents = "/windlass/v1/events"

// SomeID is the id of nothing.
const SomeID = "5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30"

// OwnedByEdge has one resource of each kind that belongs to the project edge.
type OwnedByEdge struct {
	// IDs are the ids of the resources, by the parameter for them in paths.
	IDs    map[string]string
	VnfdID string
	// Subscriptions are the subscriptions of both versions.
	Subscriptions map[string]string
}

var apiRoot = regexp.MustCompile(`^/\w+/v\d`)

// LastPart returns what follows the last slash, in most cases an id.
func LastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// TwoProjects returns an API server on which edge has one resource of each kind.
func TwoProjects(t *testing.T, change ...func(*apiserver.Options)) (*Bench, OwnedByEdge) {
	t.Helper()
	b := New(t, append(change, WithAuth, func(o *apiserver.Options) { o.Notifications.TestCallback = false })...)
	b.Client = Edge
	e := OwnedByEdge{IDs: map[string]string{}, Subscriptions: map[string]string{}}
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2", "/vnfpkgm/v1"} {
		e.Subscriptions[root] = LastPart(b.Do("POST", root+"/subscriptions", SubscriptionTo(nil)).Path())
	}
	var pkg string
	pkg, e.VnfdID = b.Onboard()
	vim := b.RegisterVim("lab", true)
	instance := b.Create("/vnflcm/v1", e.VnfdID)
	op := b.Do("POST", instance+"/instantiate", ClusterRequest(vim))
	op.Want(http.StatusAccepted)
	b.Enter(op.Path(), lcm.Processing)
	b.Enter(op.Path(), lcm.FailedTemp)
	ctx := t.Context()
	letter, err := b.Store.NextDelivery(ctx, lcm.SubscriptionID(e.Subscriptions["/vnflcm/v1"]))
	require.NoError(t, err)
	require.NoError(t, b.Store.NotDelivered(ctx, letter.ID, "nobody there"))
	require.NoError(t, b.Store.Bury(ctx, letter.ID, 0))
	snapshot := b.Do("POST", SnapshotsPath, `{}`)
	e.IDs = map[string]string{
		"vnfPkgId": LastPart(pkg), "vimId": vim, "vnfInstanceId": LastPart(instance), "vnfLcmOpOccId": LastPart(op.Path()),
		"vnfdId": e.VnfdID, "deadLetterId": strconv.FormatInt(letter.ID, 10), "index": "0", "vnfcInstanceId": SomeID,
		"vnfSnapshotInfoId": LastPart(snapshot.Path()), "serverId": SomeID, "*": "TOSCA-Metadata/TOSCA.meta",
	}
	b.Client = ""
	return b, e
}

// At fills edge's resources into the pattern of a route, and for absent, ids that do not exist.
func (e OwnedByEdge) At(pattern string) (real, absent string) {
	fill := func(known bool) string {
		return PathParam.ReplaceAllStringFunc(pattern, func(param string) string {
			name := strings.TrimPrefix(param, ":")
			switch {
			case !known && name == "deadLetterId":
				return "999"
			case !known && strings.HasSuffix(name, "Id"):
				return "00000000-0000-4000-8000-000000000000"
			case name == "subscriptionId":
				return e.Subscriptions[apiRoot.FindString(pattern)]
			default:
				return e.IDs[name]
			}
		})
	}
	return fill(true), fill(false)
}

// PathParam finds the parameters in the pattern of a route.
var PathParam = regexp.MustCompile(`:\w+|\*`)
