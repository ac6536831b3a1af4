package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// inTurn gives the answers one after another, and then repeats the last one.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		next(w, r)
	}
}

func TestLists_goOnAndShowWhatChanges(t *testing.T) {
	const north = `{"id":"a1","name":"north","type":"openstack","auth_url":"http://cloud:5000/v3","status":"`
	refused := problem(http.StatusUnauthorized, `{"status":401,"detail":"The token has expired."}`)
	got := windlass(t, &fakeAPI{answers: map[string]http.HandlerFunc{"GET /v1.0/vims": inTurn(
		ok(200, `{"vims":[`+north+`PENDING"}]}`),
		ok(200, `{"vims":[`+north+`PENDING"}]}`),
		ok(200, `{"vims":[`+north+`REACHABLE"}]}`),
		problem(http.StatusServiceUnavailable, `{"status":503,"detail":"The database does not answer."}`),
		ok(200, `{"vims":[]}`),
		refused,
	)}}, "vim", "list", "-w")
	assert.Equal(t, result{
		code: 1,
		out: "ID  NAME   TYPE       ADDRESS               DEFAULT  STATUS\n" +
			"a1  north  openstack  http://cloud:5000/v3  -        PENDING\n" +
			"a1  north  openstack  http://cloud:5000/v3  -        REACHABLE\n" +
			"a1  is gone\n",
		err: "The database does not answer.\n" + "windlass: The token has expired.\n",
	}, got)

	got = command(t, "", "vim", "list", "--watch", "-o", "json")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.err, "--watch is for tables: leave out -o json.")
}

func TestPackageCreate_tellsThatItWaits(t *testing.T) {
	const path = "/vnfpkgm/v1/vnf_packages/52a2f1f4"
	api := &fakeAPI{answers: map[string]http.HandlerFunc{
		"POST /vnfpkgm/v1/vnf_packages":                     ok(201, pkg),
		"POST " + path + "/package_content/upload_from_uri": accepted(""),
		"GET " + path: inTurn(
			ok(200, `{"id":"52a2f1f4","onboardingState":"UPLOADING"}`),
			ok(200, `{"id":"52a2f1f4","onboardingState":"PROCESSING"}`),
			ok(200, pkg),
		),
	}}
	server := httptest.NewServer(api)
	defer server.Close()
	at := noon
	got := commandAt(t, func() time.Time { at = at.Add(6 * time.Second); return at }, "",
		"package", "create", "--uri", "https://repo.example/k8s-ha.zip", "--api", server.URL)
	assert.Equal(t, 0, got.code, got.err)
	assert.Equal(t, "Windlass fetches the package from https://repo.example/k8s-ha.zip.\n"+
		"Windlass is still on-boarding the package (6s).\nWindlass is still on-boarding the package (12s).\n"+
		"Windlass is still on-boarding the package (18s).\n", got.err)
}

// TestAliases_leadToTheirCommands checks that every alias leads to its command, and that no two commands of a group
// have a name in common.
func TestAliases_leadToTheirCommands(t *testing.T) {
	root, aliases := newRoot(&console{}), 0
	var walk func(group *cobra.Command, path []string)
	walk = func(group *cobra.Command, path []string) {
		words := map[string]string{}
		for _, cmd := range group.Commands() {
			for _, word := range append([]string{cmd.Name()}, cmd.Aliases...) {
				assert.Empty(t, words[word], "%s %s", group.CommandPath(), word)
				words[word] = cmd.Name()
				found, _, err := root.Find(append(slices.Clone(path), word))
				assert.NoError(t, err)
				assert.Same(t, cmd, found, "%s %s", group.CommandPath(), word)
			}
			aliases += len(cmd.Aliases)
			walk(cmd, append(slices.Clone(path), cmd.Name()))
		}
	}
	walk(root, nil)
	assert.Greater(t, aliases, 10)
	for _, args := range [][]string{{"vim", "ls"}, {"vims", "list"}} {
		got := windlass(t, &fakeAPI{answers: map[string]http.HandlerFunc{"GET /v1.0/vims": ok(200, `{"vims":[]}`)}}, args...)
		assert.Equal(t, 0, got.code, got.err)
	}
}
