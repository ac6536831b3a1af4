package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/vims"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// retryAfter is how long clients are told to wait when Windlass or a server behind it is away. It is longer than a
// restart of one process and shorter than a person's patience.
const retryAfter = 5

// handleError writes the answer to every error of every handler, and of the router itself.
func (s *Server) handleError(err error, c echo.Context) {
	id := rest.RequestID(c)
	if c.Response().Committed {
		s.log.WarnContext(c.Request().Context(), "Answer interrupted", "requestId", id, "error", err)
		return
	}
	if errors.Is(err, context.Canceled) && c.Request().Context().Err() != nil {
		_ = c.NoContent(499) // the client has gone; nobody reads this
		return
	}
	p := rest.ProblemOf(err, id)
	p.TraceID = telemetry.TraceID(c.Request().Context())
	if vims.Refused(err) && p.Status == http.StatusForbidden {
		p.Status = http.StatusBadRequest // the VIM, not Windlass, refused the request
	}
	if p.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(c.Request().Context(), "Request failed", "requestId", id, "path", c.Request().URL.Path,
			"status", p.Status, "error", err)
	}
	if p.Status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	if strings.HasPrefix(c.Request().URL.Path, "/v1.0/") {
		_ = writeBody(c, p.Status, rest.MimeJSON, vims.ErrorBody(err, p, s.base))
		return
	}
	_ = writeBody(c, p.Status, rest.MimeProblem, p)
}

func writeBody(c echo.Context, status int, contentType string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.Blob(status, contentType, b)
}
