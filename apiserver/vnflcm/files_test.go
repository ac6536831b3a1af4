package vnflcm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// nobodyFetches fails the test.
type nobodyFetches struct{ t *testing.T }

func (n nobodyFetches) Fetch(context.Context, cnf.Source) ([]byte, error) {
	n.t.Error("something was fetched")
	return nil, nil
}

func request(t *testing.T, urls ...string) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(map[string]any{"lcm-kubernetes-def-files": urls})
	require.NoError(t, err)
	return text
}

// A plan needs the right to read only, and must not make the server fetch and store files.
func TestFetchFiles_onlyForClientsThatMayBegin(t *testing.T) {
	a := &api{Handler: &Handler{Files: nobodyFetches{t}}}
	reader := auth.With(t.Context(), auth.Identity{Client: "reader"})
	away, err := a.fetchFiles(reader, lcm.VnfInstance{ID: "i"}, request(t, "https://files.example/a.yaml"))
	require.NoError(t, err)
	require.Len(t, away, 1)
	assert.Contains(t, away[0].Detail, "only for clients that may begin such an operation")
}

func TestFetchFiles_areBounded(t *testing.T) {
	a := &api{Handler: &Handler{Files: nobodyFetches{t}}}
	var urls []string
	for i := range mostSources + 1 {
		urls = append(urls, fmt.Sprintf("https://files.example/%d.yaml", i))
	}
	away, err := a.fetchFiles(t.Context(), lcm.VnfInstance{ID: "i"}, request(t, urls...))
	require.NoError(t, err)
	require.Len(t, away, 1)
	assert.True(t, strings.HasSuffix(away[0].Path, "[50]"), away[0].Path)
}
