package testbed

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Answer is an HTTP answer with its whole body.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Token is the name of the environment variable with a bearer token for the API, the same as for the command line
// client. Without it, requests have no token.
const Token = "WINDLASS_TOKEN"

// Call sends a request to the API, as JSON.
func (b *Bed) Call(t testing.TB, method, path string, body any) Answer {
	t.Helper()
	var authorization []string
	if token := os.Getenv(Token); token != "" {
		authorization = append(authorization, "Bearer "+token)
	}
	a, err := Try(t.Context(), method, b.URL+path, body, authorization...)
	require.NoError(t, err)
	return a
}

// patiently is Call for requests that may be repeated: as an NFVO does, it repeats them after a 503, for up to a
// minute.
func (b *Bed) patiently(t testing.TB, method, path string, body any) Answer {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; Pause(t) {
		a := b.Call(t, method, path, body)
		if a.Status != http.StatusServiceUnavailable || time.Now().After(end) {
			return a
		}
	}
}

// Request sends a request to any URL, as JSON.
func Request(t testing.TB, method, url string, body any) Answer {
	t.Helper()
	a, err := Try(t.Context(), method, url, body)
	require.NoError(t, err)
	return a
}

// Try is Request for a server that may be down. authorization is the value of that header, if any.
func Try(ctx context.Context, method, url string, body any, authorization ...string) (Answer, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return Answer{}, err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, in)
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Version", "1.3.0")
	if strings.Contains(url, "/vnflcm/v2/") {
		req.Header.Set("Version", "2.0.0")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, value := range authorization {
		req.Header.Set("Authorization", value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	return Answer{res.StatusCode, res.Header, out}, err
}

// Get reads a resource into a map.
func (b *Bed) Get(t testing.TB, path string) map[string]any {
	t.Helper()
	a := b.patiently(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.Status, "%s: %s", path, a.Body)
	var out map[string]any
	require.NoError(t, json.Unmarshal(a.Body, &out))
	return out
}

// Problem returns the detail of an answer that is a ProblemDetails.
func Problem(t testing.TB, a Answer) string {
	t.Helper()
	var p struct {
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &p), "%s", a.Body)
	require.Equal(t, a.Status, p.Status)
	return p.Detail
}
