// Package tackerclient drives Windlass with a client that nobody here wrote: python3-tackerclient of Debian 12, which
// operators of Tacker have.
package tackerclient

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/environment"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// quick is more than any command or operation takes on fake machines.
const quick = 4 * time.Minute

// notDriven are commands of the client that no scenario runs, and why. A name also stands for those that begin with it.
var notDriven = map[string]string{
	"vnf create": legacy, "vnf delete": legacy, "vnf list": legacy, "vnf set": legacy, "vnf show": legacy, "vnf scale": legacy,
	"vnf resource list": legacy, "vnf descriptor": legacy, "vnf graph": legacy, "vnf chain": legacy, "vnf classifier": legacy,
	"vnf network forwarding path": legacy, "ns": legacy, "nfv event": legacy, "vnf cluster": legacy,
	"vnffm": "Windlass has no fault management (SOL003 clause 7)", "vnfpm": "Windlass has no performance management (SOL003 clause 6)",
	"vnflcm change-ext-conn": "the nodes of a cluster keep their networks; tests/e2e moves a server to another one",
	"vnflcm change-vnfpkg":   "no VNF supports it yet: a 404",
}

const legacy = "Tacker's own API of before SOL003, which Tacker itself has given up"

func TestTackerClient(t *testing.T) {
	why := missing(t)
	verdict(t, why)
	if why != "" {
		t.Skip(why)
	}
	b := &bed{testbed.New(t, environment.Fake)}
	// Where Keystone's catalog says that Windlass is.
	lab := b.Lab(t, http.MethodPut, "/catalog/nfv-orchestration", map[string]any{"name": "windlass", "url": b.URL})
	require.Equal(t, http.StatusOK, lab.Status, "%s", lab.Body)
	for _, c := range []struct {
		name, version string
		client        func(t *testing.T, version string) *client
		scenarios     []string
	}{
		{"v1 without Keystone", "1", b.withoutKeystone, []string{versions, vims, packages, subscriptions, instance, decisions}},
		{"v2 with Keystone", "2", b.withKeystone, []string{versions, subscriptions, instance, decisions}},
		// The rest of what is not the same in all four ways.
		{"v1 with Keystone", "1", b.withKeystone, []string{versions, vims, packages}},
		{"v2 without Keystone", "2", b.withoutKeystone, []string{versions, subscriptions}},
	} {
		passed := t.Run(c.name, func(t *testing.T) {
			tc := c.client(t, c.version)
			drive(t, b, tc, c.version, c.scenarios)
			if slices.Contains(c.scenarios, decisions) {
				requireAllDriven(t, tc)
			}
		})
		if !passed {
			return // what is left would fail the next
		}
	}
	t.Run("with a token of its own choice", func(t *testing.T) {
		c := newClient(t, "1", nil, "--os-auth-type", "admin_token", "--os-endpoint", b.URL, "--os-token", "any")
		require.Empty(t, c.list("vnflcm", "list"))
	})
}

// verdict keeps for the summary of all tests whether this one has run.
func verdict(t *testing.T, missing string) {
	root, err := environment.Root()
	require.NoError(t, err)
	file := filepath.Join(root, ".build", "tackerclient")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	t.Cleanup(func() {
		text := "ran:     Tacker's client, every command, both versions, with and without Keystone"
		switch {
		case t.Failed():
			text = "failed:  Tacker's client"
		case t.Skipped():
			text = "not run: Tacker's client: " + missing
		}
		_ = os.WriteFile(file, []byte(text+"\n"), 0o644)
	})
}

// bed is a Windlass, its cloud and its Keystone.
type bed struct{ *testbed.Bed }

func (b *bed) withoutKeystone(t *testing.T, version string) *client {
	return newClient(t, version, nil, "--os-auth-type", "none", "--os-endpoint", b.URL)
}

func (b *bed) withKeystone(t *testing.T, version string) *client {
	l := b.Cloud.Login()
	return newClient(t, version, []string{
		"OS_AUTH_URL=" + l.AuthURL, "OS_USERNAME=" + l.User, "OS_PASSWORD=" + l.Password, "OS_USER_DOMAIN_NAME=" + l.Domain,
		"OS_PROJECT_NAME=" + l.Project, "OS_PROJECT_DOMAIN_NAME=" + l.ProjectDomain, "OS_IDENTITY_API_VERSION=3",
	})
}

// The scenarios.
const (
	versions      = "versions"
	vims          = "VIMs"
	packages      = "packages"
	subscriptions = "subscriptions"
	instance      = "an instance"
	decisions     = "decisions"
)

// drive runs scenarios.
func drive(t *testing.T, b *bed, c *client, version string, names []string) {
	t.Helper()
	s := &scenario{bed: b, version: version}
	scenarios := map[string]func(*testing.T, *client){
		versions: s.versions, vims: s.vims, packages: s.packages, subscriptions: s.subscriptions, instance: s.instance, decisions: s.decisions,
	}
	for _, name := range names {
		if !t.Run(name, func(t *testing.T) { scenarios[name](t, c.with(t)) }) {
			return
		}
	}
}

// requireAllDriven wants every command to have run that the client has.
func requireAllDriven(t *testing.T, c *client) {
	t.Helper()
	for _, name := range c.offered {
		if !slices.Contains(*c.driven, name) && reason(name) == "" {
			t.Errorf("Nothing runs the command %q. Add it to a scenario, or to notDriven with the reason.", name)
		}
	}
}

func reason(name string) string {
	for prefix, why := range notDriven {
		if name == prefix || strings.HasPrefix(name, prefix+" ") {
			return why
		}
	}
	return ""
}
