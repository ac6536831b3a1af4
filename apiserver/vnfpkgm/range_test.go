package vnfpkgm

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

func TestServeRange_readsTheHeaderAsRFC9110Says(t *testing.T) {
	for header, want := range map[string]struct {
		status int
		body   string
	}{
		"":            {200, "0123456789"},
		"bytes=0-1":   {206, "01"},
		"BYTES=0-1":   {206, "01"},
		"bytes=-2":    {206, "89"},
		"items=0-1":   {200, "0123456789"},
		"bytes=-0":    {416, ""},
		"bytes=20-30": {416, ""},
	} {
		t.Run(header, func(t *testing.T) {
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			if header != "" {
				req.Header.Set("Range", header)
			}
			rec := httptest.NewRecorder()
			err := serveRange(echo.New().NewContext(req, rec), mimeZip, time.Time{}, strings.NewReader("0123456789"))
			if err != nil {
				assert.Equal(t, want.status, rest.ProblemOf(err, "").Status)
				return
			}
			assert.Equal(t, want.status, rec.Code)
			assert.Equal(t, want.body, rec.Body.String())
			assert.Equal(t, "bytes", rec.Header().Get("Accept-Ranges"))
		})
	}
}
