// Package access runs the real API server as an operator does, with TLS and several kinds of clients. The clients get
// their tokens from an OAuth 2.0 issuer or the lab's Keystone. The tests need no Temporal.
package access

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/freeport"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// patience is a limit that even a busy machine does not reach.
const patience = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// server is a process of `windlass apiserver`. Environment variables contain its settings.
type server struct {
	*testing.T
	// address is host:port, scheme is http or https.
	address, scheme string
	client          *http.Client
	log             *testbed.Log
}

// endpoint is the base of the server's links, independent of its address.
const endpoint = "https://vnfm.example"

// start runs a server with those settings. The server ends with the test.
func start(t *testing.T, client *http.Client, settings map[string]string) *server {
	t.Helper()
	root, err := environment.Root()
	require.NoError(t, err)
	windlass := environment.Site{Root: root}.Bin("windlass")
	keys := filepath.Join(t.TempDir(), "keys")
	out, err := exec.CommandContext(t.Context(), windlass, "keys", "generate", keys).CombinedOutput()
	require.NoError(t, err, "%s", out)
	port, err := freeport.Find(t.Context(), "127.0.0.1")
	require.NoError(t, err)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	all := map[string]string{
		"WINDLASS_DATABASE_URL": pgtest.URL(t), "WINDLASS_KEYS_FILE": keys, "WINDLASS_LOG_FORMAT": "json",
		"WINDLASS_API_LISTEN": address, "WINDLASS_API_ENDPOINT": endpoint, "WINDLASS_TEMPORAL_ADDRESS": "127.0.0.1:1",
	}
	maps.Copy(all, settings)
	s := &server{T: t, address: address, scheme: "http", client: client, log: &testbed.Log{}}
	if settings["WINDLASS_API_TLS_CERT_FILE"] != "" {
		s.scheme = "https"
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), windlass, "apiserver")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cmd.Env = append(cmd.Env, name+"="+all[name])
	}
	cmd.Stderr = s.log
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its log says why it ended
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
		}
		if t.Failed() {
			t.Logf("The server's log:\n%s", s.log)
		}
	})
	s.await(ended)
	return s
}

// await waits until the server answers or has ended.
func (s *server) await(ended <-chan struct{}) {
	s.Helper()
	require.Eventually(s, func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		req, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.url("/healthz"), nil)
		require.NoError(s, err)
		resp, err := s.client.Do(req)
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	}, patience, 20*time.Millisecond, "the server does not come up:\n%s", s.log)
	select {
	case <-ended:
		require.FailNow(s, "the server has ended", "%s", s.log)
	default:
	}
}

func (s *server) url(path string) string { return s.scheme + "://" + s.address + path }

// answer is a response with its entire body.
type answer struct {
	t      *testing.T
	Status int
	Header http.Header
	Body   []byte
}

// do sends a request. Headers have the form "Name: value".
func (s *server) do(method, path string, body any, headers ...string) answer {
	s.Helper()
	var reader io.Reader = http.NoBody
	if body != nil {
		doc, err := json.Marshal(body)
		require.NoError(s, err)
		reader = bytes.NewReader(doc)
	}
	req, err := http.NewRequestWithContext(s.Context(), method, s.url(path), reader)
	require.NoError(s, err)
	req.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(path, "/vnflcm/v2/") {
		req.Header.Set("Version", "2.0.0")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := s.client.Do(req)
	require.NoError(s, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	require.NoError(s, err)
	return answer{s.T, resp.StatusCode, resp.Header, got}
}

// want checks the status, and decodes the body into each v.
func (a answer) want(status int, v ...any) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.Status, "%s", a.Body)
	for _, into := range v {
		require.NoError(a.t, json.Unmarshal(a.Body, into))
	}
	return a
}

// refused checks that the answer is a ProblemDetails with that status, and returns its detail.
func (a answer) refused(status int) string {
	a.t.Helper()
	var p struct {
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}
	a.want(status, &p)
	require.Equal(a.t, "application/problem+json", a.Header.Get("Content-Type"))
	require.Equal(a.t, status, p.Status)
	require.NotEmpty(a.t, p.Detail)
	return p.Detail
}

// path returns the Location without the endpoint.
func (a answer) path() string {
	a.t.Helper()
	path, ok := strings.CutPrefix(a.Header.Get("Location"), endpoint)
	require.True(a.t, ok, "Location %q", a.Header.Get("Location"))
	return path
}

const packages = "/vnfpkgm/v1/vnf_packages"

// makePackage creates a VNF package in a client's project, and returns its path.
func (s *server) makePackage(who string) string {
	s.Helper()
	return s.do(http.MethodPost, packages, map[string]any{}, who).want(http.StatusCreated).path()
}

// sees returns the paths of the packages that a client sees.
func (s *server) sees(who string) (paths []string) {
	s.Helper()
	var all []struct {
		ID string `json:"id"`
	}
	s.do(http.MethodGet, packages, nil, who).want(http.StatusOK, &all)
	for _, p := range all {
		paths = append(paths, packages+"/"+p.ID)
	}
	return paths
}
