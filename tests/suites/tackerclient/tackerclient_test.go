// Package tackerclient tests Windlass with a client of another project: python3-tackerclient of Debian 12, which
// operators of Tacker use.
package tackerclient

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// quick is longer than any command or operation takes on fake machines.
const quick = 4 * time.Minute

// notDriven are commands of the client that no scenario runs, with the reasons. A name also stands for all commands
// that begin with it.
var notDriven = map[string]string{
	"vnf create": legacy, "vnf delete": legacy, "vnf list": legacy, "vnf set": legacy, "vnf show": legacy,
	"vnf scale":         legacy,
	"vnf resource list": legacy, "vnf descriptor": legacy, "vnf graph": legacy, "vnf chain": legacy,
	"vnf classifier":              legacy,
	"vnf network forwarding path": legacy, "ns": legacy, "nfv event": legacy, "vnf cluster": legacy,
	"vnffm": "Windlass has no fault management (SOL003 clause 7)",
	"vnfpm": "Windlass has no performance management (SOL003 clause 6)",
}

const legacy = "Tacker's own API of before SOL003, which Tacker itself has given up"

func TestTackerClient(t *testing.T) {
	why := missing(t)
	verdict(t, why)
	if why != "" {
		t.Skip(why)
	}
	b := &bed{testbed.New(t, environment.Fake, "--image-alias", "tiny")}
	// The catalog of Keystone names Windlass's URL here.
	lab := b.Lab(t, http.MethodPut, "/catalog/nfv-orchestration", map[string]any{"name": "windlass", "url": b.URL})
	require.Equal(t, http.StatusOK, lab.Status, "%s", lab.Body)
	for _, c := range []struct {
		name, version string
		client        func(t *testing.T, version string) *client
		scenarios     []string
	}{
		{
			"v1 without Keystone", "1", b.withoutKeystone,
			[]string{versions, vims, packages, subscriptions, reconnection, instance, containers, decisions},
		},
		{"v2 with Keystone", "2", b.withKeystone, []string{versions, subscriptions, reconnection, instance, containers, decisions}},
		// The scenarios that depend on the version or on the authentication.
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
			return // what a failed run has left would make the next one fail
		}
	}
	t.Run("as the page about clients shows", b.asThePageShows)
	t.Run("with a token of its own choice", func(t *testing.T) {
		c := newClient(t, "1", nil, "--os-auth-type", "admin_token", "--os-endpoint", b.URL, "--os-token", "any")
		require.Empty(t, c.list("vnflcm", "list"))
	})
	if !t.Failed() {
		b.askKeystone(t)
		t.Run("Windlass asks Keystone who it is", b.identified)
	}
}

var shownByThePage = regexp.MustCompile(`(?m)^openstack (--os-auth-type .*)$`)

// asThePageShows runs the commands of the client that the page shows for an API without authentication.
func (b *bed) asThePageShows(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(b.Root, "docs/reference/client.md"))
	require.NoError(t, err)
	shown := shownByThePage.FindAllStringSubmatch(string(page), -1)
	require.Len(t, shown, 2)
	c := newClient(t, "1", nil)
	c.global = nil // the commands of the page include them
	for _, m := range shown {
		c.ok(strings.Fields(strings.ReplaceAll(m[1], "http://127.0.0.1:9890", b.URL))...)
	}
}

// askKeystone restarts Windlass with authentication by the lab's Keystone.
func (b *bed) askKeystone(t *testing.T) {
	t.Helper()
	login := b.Cloud.Login()
	file := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(file, []byte(login.Password), 0o600))
	t.Setenv("WINDLASS_AUTH_MODE", "keystone")
	for name, value := range map[string]string{
		"URL": login.AuthURL, "USERNAME": login.User, "PASSWORD_FILE": file, "PROJECT": login.Project,
	} {
		t.Setenv("WINDLASS_AUTH_KEYSTONE_"+name, value)
	}
	b.Restart(t)
	lab := b.Lab(t, http.MethodPut, "/catalog/nfv-orchestration", map[string]any{"name": "windlass", "url": b.URL})
	require.Equal(t, http.StatusOK, lab.Status, "%s", lab.Body)
}

// identified uses a Windlass that requires a token of Keystone.
func (b *bed) identified(t *testing.T) {
	require.Regexp(t, "(?i)401|unauthorized|keystone", b.withoutKeystone(t, "1").fails("vnflcm", "list"))
	s := &scenario{bed: b, version: "1"}
	c := b.withKeystone(t, "1")
	// The resources that were made without authentication belong to another project than the user's.
	require.Empty(t, c.list("vim", "list"))
	require.Empty(t, c.list("vnf", "package", "list"))
	made := c.show("vim", "register", "--config-file", c.file("vim.yaml", s.Cloud.Login().Config()), "own")
	require.Equal(t, "REACHABLE", made["status"])
	require.Len(t, c.list("vim", "list"), 1)
	id := c.show("vnf", "package", "create")["ID"].(string)
	c.ok("vnf", "package", "upload", "--path", c.file("package.zip", csar(t, s.Root)), id)
	pkg := c.show("vnf", "package", "show", id)
	require.Equal(t, "ONBOARDED", pkg["Onboarding State"])
	for version, c := range map[string]*client{"1": c, "2": b.withKeystone(t, "2")} {
		vnf := c.show("vnflcm", "create", "--name", "own", pkg["VNFD ID"].(string))["ID"].(string)
		require.Len(t, c.list("vnflcm", "list"), 1, version)
		require.Empty(t, c.list("vnflcm", "op", "list"), version)
		c.ok("vnflcm", "delete", vnf)
	}
}

// verdict records for the summary of all tests whether this one has run.
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

// bed is a Windlass with its cloud and its Keystone.
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
	reconnection  = "a reconnection"
	instance      = "an instance"
	containers    = "containers"
	decisions     = "decisions"
)

// drive runs scenarios with a client.
func drive(t *testing.T, b *bed, c *client, version string, names []string) {
	t.Helper()
	s := &scenario{bed: b, version: version}
	scenarios := map[string]func(*testing.T, *client){
		versions: s.versions, vims: s.vims, packages: s.packages, subscriptions: s.subscriptions,
		reconnection: s.reconnection, instance: s.instance, containers: s.containers, decisions: s.decisions,
	}
	for _, name := range names {
		if !t.Run(name, func(t *testing.T) { scenarios[name](t, c.with(t)) }) {
			return
		}
	}
}

// requireAllDriven requires that the tests have run every command of the client.
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
