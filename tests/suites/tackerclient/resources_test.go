package tackerclient

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// scenario is what the tests do with one client.
type scenario struct {
	*bed
	version string
}

func (s *scenario) versions(t *testing.T, c *client) {
	require.Equal(t, "/vnflcm", c.show("vnflcm", "versions")["uriPrefix"])
	require.Equal(t, "/vnflcm/v1", c.show("vnflcm", "versions", "--major-version", "1")["uriPrefix"])
	require.Equal(t, "/vnflcm/v2", c.show("vnflcm", "versions", "--major-version", "2")["uriPrefix"])
}

func (s *scenario) vims(t *testing.T, c *client) {
	config := c.file("vim.yaml", s.Cloud.Login().Config())
	made := c.show("vim", "register", "--config-file", config, "--description", "the north", "north")
	require.Equal(t, "north", made["name"])
	require.Equal(t, "REACHABLE", made["status"])
	require.NotContains(t, fmt.Sprint(made["auth_cred"]), s.Cloud.Login().Password)
	id := made["id"].(string)
	require.Len(t, c.list("vim", "list"), 2) // this one and the one of the bed
	for _, vim := range c.list("vim", "list", "--long") {
		require.Contains(t, fmt.Sprint(vim["Placement attribution"]), "RegionOne")
	}
	require.Contains(t, fmt.Sprint(made["placement_attr"]), "RegionOne")
	require.Equal(t, id, c.show("vim", "show", "north")["id"])
	require.Equal(t, "north", c.show("vim", "show", id)["name"])

	changed := c.show("vim", "set", "--name", "south", "--description", "moved", "--config-file", config, "north")
	require.Equal(t, []any{id, "south", "moved"}, []any{changed["id"], changed["name"], changed["description"]})
	require.Contains(t, c.ok("vim", "delete", "south"), "deleted successfully")
	require.Contains(t, c.fails("vim", "show", "south"), "south")

	wrong := s.Cloud.Login().Config()
	wrong["password"] = "not-this-one"
	said := c.fails("vim", "register", "--config-file", c.file("wrong.yaml", wrong), "wrong")
	require.Contains(t, said, "refused the credentials")
	require.NotContains(t, said, "not-this-one")
}

// csar returns the sample package with another VNFD id.
func csar(t *testing.T, root string) []byte {
	dir, id := t.TempDir(), uuid.NewString()
	sample := os.DirFS(filepath.Join(root, "vnfpkg/samples/k8s-ha"))
	require.NoError(t, fs.WalkDir(sample, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sample, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(strings.ReplaceAll(string(text), testbed.VnfdID, id)), 0o644)
	}))
	return packed(t, dir)
}

// packed returns the archive of a package's directory.
func packed(t *testing.T, dir string) []byte {
	t.Helper()
	var archive bytes.Buffer
	require.NoError(t, vnfpkg.Build(dir, &archive))
	return archive.Bytes()
}

func (s *scenario) packages(t *testing.T, c *client) {
	archive, others := csar(t, s.Root), len(c.list("vnf", "package", "list"))
	made := c.show("vnf", "package", "create", "--user-data", "site=north")
	require.Equal(t, "CREATED", made["Onboarding State"])
	id := made["ID"].(string)
	require.Contains(t, c.ok("vnf", "package", "upload", "--path", c.file("package.zip", archive), id), "accepted")
	shown := c.show("vnf", "package", "show", id)
	require.Equal(t, []any{"ONBOARDED", "ENABLED", "NOT_IN_USE"},
		[]any{shown["Onboarding State"], shown["Operational State"], shown["Usage State"]})

	for _, options := range [][]string{
		nil,
		{"--all_fields"},
		{"--fields", "checksum,userDefinedData"},
		{"--exclude_fields", "userDefinedData"},
		{"--exclude_default"},
		{"--fields", "checksum", "--exclude_default"},
	} {
		require.Len(t, c.list(append([]string{"vnf", "package", "list"}, options...)...), others+1, "%v", options)
	}
	found := c.list("vnf", "package", "list", "--filter", "(eq,id,"+id+");(eq,onboardingState,ONBOARDED)")
	require.Len(t, found, 1)
	require.Equal(t, id, found[0]["Id"])

	file := filepath.Join(t.TempDir(), "got")
	got := func(args ...string) []byte {
		c.ok(append(args, "--file", file)...)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		return b
	}
	require.Equal(t, archive, got("vnf", "package", "download", id))
	// The VNFD has more than one file, so text/plain is not possible.
	for _, kind := range []string{"application/zip", "both"} {
		require.True(t, bytes.HasPrefix(got("vnf", "package", "download", "--vnfd", "--type", kind, id), []byte("PK")), kind)
	}
	require.Contains(t, c.fails("vnf", "package", "download", "--vnfd", "--type", "text/plain", id), "application/zip")
	const artifact = "Definitions/k8s_ha_top.vnfd.yaml"
	require.Contains(t, string(got("vnf", "package", "artifact", "download", id, artifact)), "tosca_definitions_version")
	require.Contains(t, c.fails("vnf", "package", "artifact", "download", id, "no/such/file"), "no artifact")

	// Windlass fetches the package from here.
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "nfv" || password != "of-the-repository" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write(archive)
	}))
	t.Cleanup(source.Close)
	fetch := func(password string) (id string, state func() any) {
		id = c.show("vnf", "package", "create")["ID"].(string)
		require.Contains(t, c.ok("vnf", "package", "upload", "--url", source.URL+"/p.zip", "--user-name", "nfv", "--password",
			password, id), "accepted")
		return id, func() any { return s.Get(t, "/vnfpkgm/v1/vnf_packages/"+id)["onboardingState"] }
	}
	refused, state := fetch("not-this-one")
	require.Eventually(t, func() bool { return state() == "CREATED" }, quick, 50*time.Millisecond,
		"the repository lets nobody in")
	require.Contains(t, c.ok("vnf", "package", "delete", refused), "deleted successfully")

	changed := c.show("vnf", "package", "update", "--operational-state", "DISABLED", "--user-data", "rack=7", id)
	require.Equal(t, "DISABLED", changed["Operational State"])
	require.Contains(t, c.fails("vnf", "package", "update", "--operational-state", "DISABLED", id), "already")
	require.Contains(t, c.ok("vnf", "package", "delete", id), "deleted successfully")
	c.fails("vnf", "package", "show", id)

	fetched, state := fetch("of-the-repository") // the VNFD id is free again
	require.Eventually(t, func() bool { return state() == "ONBOARDED" }, quick, 50*time.Millisecond, "it is not fetched")
	c.show("vnf", "package", "update", "--operational-state", "DISABLED", fetched)
	require.Contains(t, c.ok("vnf", "package", "delete", fetched), "deleted successfully")
}

func (s *scenario) subscriptions(t *testing.T, c *client) {
	subscriber := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request,
	) {
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(subscriber.Close)
	file := c.file("subscription.json", map[string]any{
		"callbackUri": subscriber.URL + "/heard",
		"filter": map[string]any{
			"operationTypes":    []string{"INSTANTIATE"},
			"notificationTypes": []string{"VnfLcmOperationOccurrenceNotification"},
		},
	})
	made := c.show("vnflcm", "subsc", "create", file)
	id := made["ID"].(string)
	require.Equal(t, subscriber.URL+"/heard", made["Callback URI"])
	require.Len(t, c.list("vnflcm", "subsc", "list"), 1)
	require.Len(t, c.list("vnflcm", "subsc", "list", "--filter", "(eq,id,"+id+")"), 1)
	require.Empty(t, c.list("vnflcm", "subsc", "list", "--filter", "(neq,id,"+id+")"))
	require.Equal(t, id, c.show("vnflcm", "subsc", "show", id)["ID"])
	second := c.show("vnflcm", "subsc", "create", file)["ID"].(string)
	require.NotEqual(t, id, second, "the client cannot follow a 303")
	require.Contains(t, c.ok("vnflcm", "subsc", "delete", second), "deleted successfully")
	require.Contains(t, c.ok("vnflcm", "subsc", "delete", id), "deleted successfully")
	require.Empty(t, c.list("vnflcm", "subsc", "list"))
}
