package extensions_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestIdentity_tellsWhoAsks(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	require.Equal(t, map[string]any{"client": "client-of-edge", "projectId": "edge", "scopes": []any{"vim:v1:readonly"}},
		b.Do("GET", "/windlass/v1/identity", nil, servertest.As("edge", "vim:v1:readonly")).Want(http.StatusOK))
	open := servertest.New(t)
	who := open.Do("GET", "/windlass/v1/identity", nil).Want(http.StatusOK)
	require.Equal(t, []any{"windlass:admin"}, who["scopes"])
}
