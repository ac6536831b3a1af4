package access

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/deployments/lab/machine/fake"
	lab "github.com/windlass-nfv/windlass/deployments/lab/openstack"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
	"github.com/windlass-nfv/windlass/tests/support/environment"
)

const demoPassword, adminPassword = "of-demo-5d1c", "of-admin-7f3e"

// keystone starts the lab's Keystone, and returns the URL of its identity API.
func keystone(t *testing.T) string {
	t.Helper()
	var cloud *lab.Cloud
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request,
	) {
		cloud.Handler().ServeHTTP(w, r)
	}))
	store, err := state.Open(filepath.Join(t.TempDir(), "lab.db"))
	require.NoError(t, err)
	cloud, err = lab.New(lab.Config{
		Store: store, Machines: fake.New(fake.Options{Dir: t.TempDir()}), Endpoint: server.URL, DemoPassword: demoPassword,
		AdminPassword: adminPassword,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		server.Close()
		cloud.Close()
		require.NoError(t, store.Close())
	})
	return server.URL + "/identity/v3"
}

// login returns the header with a user's token for a project, or for no project if that is "".
func login(t *testing.T, url, user, password, project string) string {
	t.Helper()
	options := gophercloud.AuthOptions{IdentityEndpoint: url, Username: user, Password: password, DomainName: "Default"}
	if project != "" {
		options.Scope = &gophercloud.AuthScope{ProjectName: project, DomainName: "Default"}
	}
	provider, err := openstack.AuthenticatedClient(t.Context(), options)
	require.NoError(t, err)
	return "X-Auth-Token: " + provider.Token()
}

// TestKeystone starts servers whose clients have tokens of Keystone: for two projects, and with different roles.
func TestKeystone(t *testing.T) {
	url := keystone(t)
	file := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(file, []byte(adminPassword+"\n"), 0o600))
	settings := map[string]string{
		"WINDLASS_AUTH_MODE": "keystone", "WINDLASS_AUTH_KEYSTONE_URL": url, "WINDLASS_AUTH_KEYSTONE_USERNAME": "admin",
		"WINDLASS_AUTH_KEYSTONE_PASSWORD_FILE": file, "WINDLASS_AUTH_KEYSTONE_PROJECT": "admin",
		"WINDLASS_AUTH_KEYSTONE_ADMIN_ROLES": "nobody-has-this-one",
	}
	demo := login(t, url, "demo", demoPassword, "demo")
	// The user admin is a member like demo, unless the settings below make a difference.
	other := login(t, url, "admin", adminPassword, "admin")

	t.Run("projects", func(t *testing.T) {
		s := start(t, http.DefaultClient, settings)
		a := s.do(http.MethodGet, instances2, nil)
		require.Contains(t, a.refused(http.StatusUnauthorized), "X-Auth-Token")
		require.Equal(t, `Keystone uri="`+url+`"`, a.Header.Get("WWW-Authenticate"))
		a = s.do(http.MethodGet, instances2, nil, "X-Auth-Token: forged")
		require.Contains(t, a.refused(http.StatusUnauthorized), "Keystone does not know the token")
		s.do(http.MethodGet, instances2, nil, login(t, url, "demo", demoPassword, "")).refused(http.StatusForbidden)

		ours, theirs := s.makePackage(demo), s.makePackage(other)
		require.Equal(t, []string{ours}, s.sees(demo))
		require.Equal(t, []string{theirs}, s.sees(other))
		s.do(http.MethodGet, theirs, nil, demo).refused(http.StatusNotFound)

		root, err := environment.Root()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), environment.Site{Root: root}.Bin("windlass"), "package", "list", "--auth",
			"keystone", "--api", s.url(""))
		cmd.Env = []string{
			"HOME=" + t.TempDir(), "OS_AUTH_URL=" + url, "OS_USERNAME=demo", "OS_PASSWORD=" + demoPassword,
			"OS_PROJECT_NAME=demo",
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), filepath.Base(ours))
		require.NotContains(t, string(out), filepath.Base(theirs))
		for _, secret := range []string{adminPassword, demoPassword, demo[len("X-Auth-Token: "):]} {
			require.NotContains(t, s.log.String(), secret)
		}
	})
	t.Run("roles", func(t *testing.T) {
		settings["WINDLASS_AUTH_KEYSTONE_WRITE_ROLES"],
			settings["WINDLASS_AUTH_KEYSTONE_ADMIN_ROLES"] = "nobody-has-this-one", "admin"
		s := start(t, http.DefaultClient, settings)
		s.do(http.MethodGet, instances2, nil, demo).want(http.StatusOK)
		require.Contains(t, s.do(http.MethodPost, packages, map[string]any{}, demo).refused(http.StatusForbidden),
			"windlass:write")
		made := s.makePackage(other)
		require.Equal(t, []string{made}, s.sees(other))
		require.Empty(t, s.sees(demo))
	})
}
