package testbed

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// promises are the titles of the planned steps, by the path of the operation that was begun afterwards.
type promises struct {
	mu     sync.Mutex
	titles map[string][]string
}

func (p *promises) keep(op string, titles []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.titles == nil {
		p.titles = map[string][]string{}
	}
	p.titles[op] = titles
}

func (p *promises) of(op string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.titles[op]
}

// Promised returns the titles of the steps that /plan answers for a request.
func (b *Bed) Promised(t testing.TB, vnf, task string, body any) (titles []string) {
	t.Helper()
	a := b.patiently(t, http.MethodPost, "/windlass/v1/vnf_instances/"+vnf+"/plan", map[string]any{
		"operation": strings.ToUpper(task), "request": body,
	})
	require.Equal(t, http.StatusOK, a.Status, "the plan of a %s: %s", task, a.Body)
	var plan struct{ Steps []Step }
	require.NoError(t, json.Unmarshal(a.Body, &plan))
	for _, s := range plan.Steps {
		titles = append(titles, s.Title)
	}
	require.NotEmpty(t, titles)
	return titles
}

// requirePromised compares the steps of an operation with those of its plan, if there is one.
func (b *Bed) requirePromised(t testing.TB, op string) {
	t.Helper()
	promised := b.promises.of(op)
	if promised == nil {
		return
	}
	var done []string
	for _, s := range b.Steps(t, op) {
		if s.Node == "" && s.Phase == "FORWARD" {
			require.Equal(t, "DONE", s.State, s.Title)
			done = append(done, s.Title)
		}
	}
	require.Equal(t, promised, done, "/plan promises what is done")
}
