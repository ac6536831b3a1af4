package extensions

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/auth"
)

func TestStreams_areBoundedForAClientAndForTheServer(t *testing.T) {
	by := func(client string) echo.Context {
		req := httptest.NewRequestWithContext(auth.With(t.Context(), auth.Identity{Client: client}), http.MethodGet, "/", nil)
		return echo.New().NewContext(req, httptest.NewRecorder())
	}
	var s streams
	var last func()
	for range mostStreamsOfClient {
		closed, err := s.open(by("a"))
		require.NoError(t, err)
		last = closed
	}
	c := by("a")
	_, err := s.open(c)
	require.ErrorContains(t, err, "the limit for one client")
	assert.Equal(t, "10", c.Response().Header().Get("Retry-After"))
	last()
	_, err = s.open(by("a"))
	require.NoError(t, err, "one has been closed")
	for _, client := range []string{"b", "c", "d"} {
		for range mostStreamsOfClient {
			if _, err = s.open(by(client)); err != nil {
				break
			}
		}
	}
	require.ErrorContains(t, err, "This server has 1000 event streams")
}
