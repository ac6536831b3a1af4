package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withProfiles writes profiles into a file of the test.
func withProfiles(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "profiles.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	t.Setenv("WINDLASS_PROFILES", file)
	t.Setenv("WINDLASS_PROFILE", "")
}

func TestProfile_saysWhereTheAPIIs(t *testing.T) {
	api := resources()
	server := httptest.NewServer(api)
	defer server.Close()
	withProfiles(t, "north:\n  api: "+server.URL+"/\n  lcmVersion: 2\n  output: json\nnowhere:\n  api: "+
		"http://127.0.0.1:1\n")
	t.Setenv("WINDLASS_API", "http://127.0.0.1:2") // a chosen profile takes precedence over it

	got := command(t, "", "vnf", "list", "--profile", "north")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, "/vnflcm/v2/vnf_instances", api.last("GET").path)
	assert.Contains(t, got.out, `"vnfInstanceName": "edge-1"`)

	t.Setenv("WINDLASS_PROFILE", "nowhere")
	// Flags take precedence.
	got = command(t, "", "vnf", "list", "--profile", "north", "--lcm-version", "1", "-o", "table")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, "/windlass/v1/vnf_instances?search="+vnfID, api.last("GET").path, "a table tells more")
	assert.Contains(t, got.out, "NAME")
	assert.Contains(t, command(t, "", "vnf", "list").err, "127.0.0.1:1")

	got = command(t, "", "vnf", "list", "--profile", "south")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.err, `There is no profile "south"`)
	assert.Contains(t, got.err, "north, nowhere")
}

func TestProfileList_showsThem(t *testing.T) {
	withProfiles(t, "north:\n  api: https://north.example:9890\nsouth:\n  api: https://south.example:9890\n  lcmVersion: "+
		"2\n")
	got := command(t, "", "profile", "list")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, "NAME   API                         LCM VERSION  CURRENT\nnorth  https://north.example:9890  1            -\nsouth  "+
		"https://south.example:9890  2            -\n", got.out)

	withProfiles(t, "north:\n  url: https://north.example\n")
	got = command(t, "", "profile", "list")
	assert.NotZero(t, got.code)
	assert.Contains(t, got.err, "line 2: field url not found")

	withProfiles(t, "")
	none := command(t, "", "profile", "list")
	assert.Contains(t, none.err, "There are no profiles")
	assert.Zero(t, none.code, "an empty list is no error")
	assert.Equal(t, "{}\n", command(t, "", "profile", "list", "-o", "json").out)
}

func TestOutput_isATableJSONOrYAML(t *testing.T) {
	withProfiles(t, "")
	got := windlass(t, resources(), "vim", "show", "north", "-o", "yaml")
	require.Zero(t, got.code, got.err)
	assert.Equal(t, `id: 7d1c
name: north
type: openstack
auth_url: http://cloud:5000/v3
is_default: true
status: REACHABLE
vim_project:
  name: nfv
extra:
  ssh_port: 2222
`, got.out)
	asJSON := windlass(t, resources(), "vnf", "list", "-o", "json")
	assert.Equal(t, windlass(t, resources(), "vnf", "list", "--json").out, asJSON.out)
	assert.JSONEq(t, "["+vnf+"]", asJSON.out)
	assert.Empty(t, windlass(t, resources(), "vnf", "delete", vnfID, "-o", "yaml").out, "what is for people")

	for _, wrong := range [][]string{{"-o", "xml"}, {"-o", "yaml", "--json"}} {
		got := windlass(t, resources(), append([]string{"vnf", "list"}, wrong...)...)
		assert.Equal(t, exitUsage, got.code, "%v", wrong)
		assert.Contains(t, got.err, "--output", "%v", wrong)
	}
}

func TestYAML_meansTheSameAsTheJSON(t *testing.T) {
	got, err := yamlOf([]byte(`{"b":"1","a":[],"t":"true","n":null,"text":"two\nlines","o":{},"list":[{"x":1.5}]}`))
	require.NoError(t, err)
	assert.Equal(t, "b: \"1\"\na: []\nt: \"true\"\nn: null\ntext: |-\n  two\n  lines\no: {}\nlist:\n  - x: 1.5\n",
		string(got))
}

func TestProfile_bringsCredentialsByReference(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("s3cr3t\n"), 0o600))
	t.Setenv("WINDLASS_OAUTH2_CLIENT_ID", "before")
	t.Setenv("THE_PASSWORD", "pa55")
	withProfiles(t, `north:
  variables: {WINDLASS_AUTH: oauth2, WINDLASS_OAUTH2_CLIENT_ID: me, WINDLASS_TOKEN_FILE: /a/file}
  secrets:
    WINDLASS_OAUTH2_CLIENT_SECRET: {file: `+file+`}
    OS_PASSWORD: {env: THE_PASSWORD}
clear: {variables: {OS_PASSWORD: pa55}}
away: {secrets: {WINDLASS_TOKEN: {file: /nowhere/at/all}}}
both: {secrets: {WINDLASS_TOKEN: {file: a, env: B}}}
odd: {variables: {PATH: /bin}}
`)
	leave := enterProfile([]string{"vnf", "list", "--profile", "north"})
	for name, want := range map[string]string{
		"WINDLASS_AUTH": "oauth2", "WINDLASS_OAUTH2_CLIENT_ID": "me", "WINDLASS_OAUTH2_CLIENT_SECRET": "s3cr3t",
		"OS_PASSWORD": "pa55",
	} {
		assert.Equal(t, want, os.Getenv(name), name)
	}
	leave()
	assert.Equal(t, "before", os.Getenv("WINDLASS_OAUTH2_CLIENT_ID"))
	assert.Empty(t, os.Getenv("WINDLASS_OAUTH2_CLIENT_SECRET"))

	for name, says := range map[string]string{
		"clear": "OS_PASSWORD is a secret", "away": "/nowhere/at/all", "both": "either a file or an env",
		"odd": "does not read the variable PATH",
	} {
		got := windlass(t, resources(), "vnf", "list", "--profile="+name)
		assert.Equal(t, exitUsage, got.code, name)
		assert.Contains(t, got.err, says, name)
		assert.NotContains(t, got.err, "pa55")
	}
}
