package servertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Answer is a response whose body was read completely.
type Answer struct {
	t      testing.TB
	Status int
	Header http.Header
	Body   []byte
}

// Want checks the status and returns the JSON body.
func (a Answer) Want(status int) map[string]any {
	a.t.Helper()
	require.Equal(a.t, status, a.Status, "%s", a.Body)
	if len(a.Body) == 0 || !strings.Contains(a.Header.Get("Content-Type"), "json") || a.Body[0] != '{' {
		return nil
	}
	var doc map[string]any
	require.NoError(a.t, json.Unmarshal(a.Body, &doc))
	return doc
}

// List checks the status and returns the items of the JSON array.
func (a Answer) List() []map[string]any {
	a.t.Helper()
	require.Equal(a.t, http.StatusOK, a.Status, "%s", a.Body)
	items := []map[string]any{}
	require.NoError(a.t, json.Unmarshal(a.Body, &items))
	return items
}

// Problem checks that the answer is a ProblemDetails of that status and returns its detail.
func (a Answer) Problem(status int) string {
	a.t.Helper()
	doc := a.Want(status)
	require.Equal(a.t, rest.MimeProblem, a.Header.Get("Content-Type"))
	require.EqualValues(a.t, status, doc["status"])
	require.NotEmpty(a.t, doc["detail"])
	require.NotEmpty(a.t, a.Header.Get(rest.HeaderRequestID))
	return doc["detail"].(string)
}

// Paths lists the JSON paths of the answer's problems.
func (a Answer) Paths() []string {
	var doc struct{ Problems []lcm.Problem }
	require.NoError(a.t, json.Unmarshal(a.Body, &doc))
	out := []string{}
	for _, p := range doc.Problems {
		out = append(out, p.Path)
	}
	return out
}

// Path returns the Location below the endpoint.
func (a Answer) Path() string {
	a.t.Helper()
	path, ok := strings.CutPrefix(a.Header.Get("Location"), Endpoint)
	require.True(a.t, ok, "Location %q", a.Header.Get("Location"))
	return path
}

// NextPath returns the target of the only Link header, below the endpoint, or "" without one.
func (a Answer) NextPath() string {
	a.t.Helper()
	links := a.Header.Values("Link")
	if len(links) == 0 {
		return ""
	}
	require.Len(a.t, links, 1)
	target, found := strings.CutSuffix(links[0], `>; rel="next"`)
	require.True(a.t, found, links[0])
	path, found := strings.CutPrefix(target, "<"+Endpoint)
	require.True(a.t, found, links[0])
	return path
}

// ProblemOrTacker returns the detail of an error in either form.
func (a Answer) ProblemOrTacker(status int) string {
	a.t.Helper()
	doc := a.Want(status)
	if tacker, ok := doc["TackerError"].(map[string]any); ok {
		return tacker["message"].(string)
	}
	return doc["detail"].(string)
}

// TackerType checks that the answer is an error as Tacker's client reads it, and returns its type.
func (a Answer) TackerType(status int) string {
	a.t.Helper()
	a.Want(status)
	var doc struct {
		TackerError struct{ Type, Message, Detail string }
		Type        string
	}
	require.NoError(a.t, json.Unmarshal(a.Body, &doc))
	require.NotEmpty(a.t, doc.TackerError.Message)
	require.Contains(a.t, doc.Type, "/docs/troubleshooting.md#")
	require.Equal(
		a.t,
		"Read what such errors mean: "+Endpoint+doc.Type,
		doc.TackerError.Detail,
		"Tacker's client prints it",
	)
	return doc.TackerError.Type
}
