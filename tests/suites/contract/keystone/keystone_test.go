// Package keystone checks how Windlass authenticates clients by their Keystone tokens. The Keystone is the lab's.
package keystone

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	lab "github.com/windlass-nfv/windlass/deployments/lab/openstack"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const demoPassword, adminPassword = "demo-secret", "admin-secret"

// keystone is the lab's Keystone. A test can stop its answers (down) and move its clock (shift).
type keystone struct {
	*testing.T
	server *httptest.Server

	mu    sync.Mutex
	asked int // validations of tokens
	down  bool
	shift time.Duration
}

func newKeystone(t *testing.T) *keystone {
	t.Helper()
	k := &keystone{T: t}
	var handler http.Handler
	k.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		down := k.down
		if r.Method == http.MethodGet && r.URL.Path == "/identity/v3/auth/tokens" {
			k.asked++
		}
		k.mu.Unlock()
		if down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	store, err := state.Open(filepath.Join(t.TempDir(), "lab.db"))
	require.NoError(t, err)
	cloud, err := lab.New(lab.Config{
		Store: store, Machines: fake.New(fake.Options{Dir: t.TempDir()}), Endpoint: k.server.URL,
		DemoPassword: demoPassword, AdminPassword: adminPassword, Now: k.now,
	})
	require.NoError(t, err)
	handler = cloud.Handler()
	t.Cleanup(func() {
		k.server.Close()
		cloud.Close()
		require.NoError(t, store.Close())
	})
	return k
}

func (k *keystone) now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Now().Add(k.shift)
}

// times returns how often Keystone was asked to validate a token.
func (k *keystone) times() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked
}

func (k *keystone) set(change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change()
}

func (k *keystone) method() *auth.Keystone {
	return &auth.Keystone{
		URL: k.server.URL + "/identity/v3", Username: "admin", Password: adminPassword, UserDomain: "Default",
		Project: "admin", ProjectDomain: "Default", ReadRoles: []string{"reader"}, WriteRoles: []string{"member"},
		AdminRoles: []string{"admin"}, HTTP: k.server.Client(), Now: k.now,
	}
}

// login returns a token and the id of the project for which it is valid.
func (k *keystone) login(user, password string, scope *gophercloud.AuthScope) (token, project string) {
	k.Helper()
	provider, err := openstack.AuthenticatedClient(k.Context(), gophercloud.AuthOptions{
		IdentityEndpoint: k.server.URL + "/identity/v3", Username: user, Password: password, DomainName: "Default",
		Scope: scope,
	})
	require.NoError(k, err)
	if answer, ok := provider.GetAuthResult().(interface {
		ExtractInto(any) error
	}); ok {
		var told struct {
			Project struct {
				ID string `json:"id"`
			} `json:"project"`
		}
		require.NoError(k, answer.ExtractInto(&told))
		project = told.Project.ID
	}
	return provider.Token(), project
}

func show(t *testing.T, m auth.Method, token string) (auth.Identity, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("X-Auth-Token", token)
	who, given, err := m.Authenticate(r)
	require.True(t, given)
	return who, err
}

func refusal(t *testing.T, err error) *auth.RefusalError {
	t.Helper()
	r, ok := errors.AsType[*auth.RefusalError](err)
	require.True(t, ok, "%v", err)
	require.NotEmpty(t, r.Detail)
	return r
}

var ofDemo = &gophercloud.AuthScope{ProjectName: "demo", DomainName: "Default"}

func TestKeystone_tellsUserProjectAndRoles(t *testing.T) {
	k := newKeystone(t)
	m := k.method()
	token, project := k.login("demo", demoPassword, ofDemo)
	require.NotEmpty(t, project)
	for range 3 {
		who, err := show(t, m, token)
		require.NoError(t, err)
		assert.WithinDuration(t, k.now().Add(time.Hour), who.Until, 24*time.Hour)
		require.True(t, who.Until.After(k.now()))
		who.Until = time.Time{}
		assert.Equal(t, auth.Identity{
			Client: "keystone Default/demo", Project: lcm.ProjectID(project),
			Scopes: []string{auth.ScopeRead, auth.ScopeWrite},
		}, who)
	}
	require.Equal(t, 1, k.times(), "a token that is known is not asked about again")

	token, _ = k.login("admin", adminPassword, ofDemo)
	who, err := show(t, m, token)
	require.NoError(t, err)
	assert.Equal(t, lcm.Scope{Project: lcm.ProjectID(project), All: true}, who.Scope())

	m.WriteRoles, m.AdminRoles = nil, nil
	token, _ = k.login("demo", demoPassword, ofDemo)
	who, err = show(t, m, token)
	require.NoError(t, err)
	assert.Equal(t, []string{auth.ScopeRead}, who.Scopes)
	m.ReadRoles = []string{"vnf-reader"}
	token, _ = k.login("demo", demoPassword, ofDemo)
	_, err = show(t, m, token)
	assert.True(t, refusal(t, err).Unknown)
}

func TestKeystone_takesAURLWithoutVersion(t *testing.T) {
	k := newKeystone(t)
	m := k.method()
	m.URL = k.server.URL + "/identity"
	token, _ := k.login("demo", demoPassword, ofDemo)
	_, err := show(t, m, token)
	require.NoError(t, err)
	assert.Equal(t, `Keystone uri="`+m.URL+`"`, m.Challenge(nil))
}

func TestKeystone_refusesTokensThatAreNotGood(t *testing.T) {
	k := newKeystone(t)
	m := k.method()
	for range 3 {
		_, err := show(t, m, "forged")
		require.Contains(t, refusal(t, err).Detail, "does not know")
		require.False(t, refusal(t, err).Unknown)
	}
	require.Equal(t, 1, k.times(), "Keystone was asked about an invalid token")

	unscoped, _ := k.login("demo", demoPassword, nil)
	_, err := show(t, m, unscoped)
	require.True(t, refusal(t, err).Unknown)

	// Windlass refuses a token that has expired since. Windlass's own token has expired, too: it gets a new one.
	token, _ := k.login("demo", demoPassword, ofDemo)
	_, err = show(t, m, token)
	require.NoError(t, err)
	k.set(func() { k.shift = 2 * time.Hour })
	_, err = show(t, m, token)
	require.Contains(t, refusal(t, err).Detail, "expired")

	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	_, given, err := m.Authenticate(r)
	require.NoError(t, err)
	require.False(t, given)
}

func TestKeystone_isUnavailableWhileKeystoneIs(t *testing.T) {
	k := newKeystone(t)
	m := k.method()
	token, _ := k.login("demo", demoPassword, ofDemo)
	other, _ := k.login("demo", demoPassword, ofDemo)
	k.set(func() { k.down = true })
	_, err := show(t, m, token)
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.NotContains(t, err.Error(), adminPassword)
	k.set(func() { k.down, k.shift = false, 10*time.Second })
	_, err = show(t, m, token)
	require.NoError(t, err)
	k.set(func() { k.down = true })
	_, err = show(t, m, token)
	require.NoError(t, err, "known already")
	_, err = show(t, m, other)
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)

	m = k.method()
	k.set(func() { k.down = false })
	m.Password = "wrong"
	_, err = show(t, m, token)
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
}
