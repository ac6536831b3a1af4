package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// noon is the current time in these tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// result is the result of a run of the command.
type result struct {
	code     int
	out, err string
}

// windlass runs the command with api as its API.
func windlass(t *testing.T, api http.Handler, args ...string) result {
	t.Helper()
	server := httptest.NewServer(api)
	defer server.Close()
	return command(t, "", append(args, "--api", server.URL)...)
}

func command(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	return commandAt(t, func() time.Time { return noon }, stdin, args...)
}

// commandAt runs the command with this clock.
func commandAt(t *testing.T, now func() time.Time, stdin string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	con := &console{
		in: strings.NewReader(stdin), out: &out, err: &err,
		size: func() (int, int) { return 0, 0 }, now: now, relist: time.Millisecond, slowAfter: time.Minute,
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code := run(ctx, args, con)
	return result{code, out.String(), err.String()}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// request is a request to the fake API.
type request struct {
	method, path, version string
	body                  string
}

// fakeAPI answers by "METHOD path" and records the requests.
type fakeAPI struct {
	answers map[string]http.HandlerFunc
	mu      sync.Mutex
	got     []request
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.got = append(f.got, request{r.Method, r.URL.RequestURI(), r.Header.Get("Version"), string(body)})
	f.mu.Unlock()
	answer, found := f.answers[r.Method+" "+r.URL.Path]
	if !found {
		answer = problem(http.StatusNotFound, `{"status":404,"detail":"There is no such resource."}`)
	}
	answer(w, r)
}

// last returns the newest request with this method.
func (f *fakeAPI) last(method string) request {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range slices.Backward(f.got) {
		if r.method == method {
			return r
		}
	}
	return request{}
}

func ok(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func problem(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func accepted(location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusAccepted)
	}
}

func TestHelp_everyCommandExplainsItselfWithAnExample(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		assert.NotEmpty(t, cmd.Short, cmd.CommandPath())
		if cmd.Runnable() {
			assert.NotEmpty(t, cmd.Example, cmd.CommandPath())
			assert.NotNil(t, cmd.Args, cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(terminal(os.Stdin, os.Stdout, os.Stderr)))
}

func TestUsage_mistakesAreSentencesAndExitWith2(t *testing.T) {
	cases := map[string]struct {
		args []string
		want string
	}{
		"unknown flag": {
			[]string{"vnf", "list", "--color"},
			"windlass: Unknown flag: --color. See 'windlass vnf list --help'\n",
		},
		"missing argument": {
			[]string{"vnf", "instantiate", "ID"},
			"windlass: REQUEST is missing. See 'windlass vnf instantiate --help'\n",
		},
		"too many": {
			[]string{"vim", "list", "north"},
			"windlass: \"north\" is one argument too many. See 'windlass vim list --help'\n",
		},
		"bad version": {
			[]string{"op", "list", "--lcm-version", "3"},
			"windlass: --lcm-version must be 1 or 2, not 3. See 'windlass op list --help'\n",
		},
		"bad address": {
			[]string{"op", "list", "--api", "here"},
			"windlass: --api must be a URL like http://127.0.0.1:9890, not \"here\". See 'windlass op list --help'\n",
		},
		"bad mode": {
			[]string{"op", "cancel", opID, "--mode", "hard"},
			"windlass: --mode must be GRACEFUL or FORCEFUL, not \"HARD\". See 'windlass op cancel --help'\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := command(t, "", c.args...)
			assert.Equal(t, result{exitUsage, "", c.want}, got)
		})
	}
}

func TestErrors_showEveryProblemOnALineOfItsOwn(t *testing.T) {
	api := &fakeAPI{answers: map[string]http.HandlerFunc{
		"POST /vnflcm/v1/vnf_instances": problem(400, `{"status":400,"title":"Bad Request",
			"detail":"The request is not valid: $.vnfdId: is missing; $.metadata: must be an object",
			"problems":[{"path":"$.vnfdId","detail":"is missing"},{"path":"$.metadata","detail":"must be an object"}]}`),
	}}
	got := windlass(t, api, "vnf", "create", "x")
	assert.Equal(t, result{1, "", "windlass: The request is not valid:\n  $.vnfdId: is missing\n  $.metadata: must be an " +
		"object\n"}, got)
}

func TestErrors_sayWhatToLookAtWhenTheAPIDoesNotAnswer(t *testing.T) {
	got := command(t, "", "vnf", "list", "--api", "http://127.0.0.1:1")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "windlass: No answer from the API at http://127.0.0.1:1: ")
	assert.Contains(t, got.err, "Is 'windlass dev' or 'windlass apiserver' running, and is --api right?\n")
}

func TestErrors_readTackersForm(t *testing.T) {
	api := &fakeAPI{answers: map[string]http.HandlerFunc{
		"GET /v1.0/vims": problem(409,
			`{"TackerError":{"type":"Conflict","message":"A VIM named north exists.","detail":""}}`),
	}}
	assert.Equal(t, "windlass: A VIM named north exists.\n", windlass(t, api, "vim", "list").err)
}
