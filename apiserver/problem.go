package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

const (
	mimeJSON    = "application/json"
	mimeProblem = "application/problem+json"
)

// retryAfter is what clients are told to wait when Windlass or something behind it is away: longer than a
// restart of one process, shorter than a person's patience.
const retryAfter = 5

// ProblemDetails is the body of every error.
type ProblemDetails = problem.Details

// httpError is an error that only HTTP knows: 401, 403, 405, 406, 408, 412, 413, 414, 415, 416, 429.
type httpError struct {
	status int
	detail string
}

func (e *httpError) Error() string { return e.detail }

func httpErrorf(status int, format string, args ...any) error {
	return &httpError{status: status, detail: fmt.Sprintf(format, args...)}
}

// problemOf makes the body of an error. What nobody classified stays in the log: the client gets the id
// under which to find it there.
func problemOf(err error, requestID string) ProblemDetails {
	p := ProblemDetails{Status: http.StatusInternalServerError}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Status, p.Detail = http.StatusRequestEntityTooLarge,
			fmt.Sprintf("The request's body is larger than the %s that this server takes here.", sizeText(e.Limit))
	} else if e, ok := errors.AsType[*httpError](err); ok { // also as the cause of another one: who read the body has not made it
		p.Status, p.Detail = e.status, e.detail
	} else if e, ok := errors.AsType[*lcm.Error](err); ok && e.Kind != lcm.KindBug {
		p.Status, p.Detail, p.Problems = problem.Status(e), e.Sentence(), e.Problems
	} else if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		p.Status, p.Detail = e.Code, routerDetail(e)
	} else if errors.Is(err, context.DeadlineExceeded) {
		p.Status, p.Detail = http.StatusGatewayTimeout, "The request took too long; try again."
	} else {
		p.Detail = "Windlass met an unexpected error. Its log has the cause under requestId " + requestID + "."
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// sizeText is a number of bytes as people read it.
func sizeText(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}

func routerDetail(e *echo.HTTPError) string {
	switch e.Code {
	case http.StatusNotFound:
		return "There is no such resource."
	case http.StatusMethodNotAllowed:
		return "The resource does not support this method; the Allow header lists those it does."
	default:
		return fmt.Sprint(e.Message)
	}
}

// handleError writes the answer to every error of every handler, and of the router itself.
func (s *Server) handleError(err error, c echo.Context) {
	id := requestID(c)
	if c.Response().Committed {
		s.log.WarnContext(c.Request().Context(), "Answer broken off", "requestId", id, "error", err)
		return
	}
	if errors.Is(err, context.Canceled) && c.Request().Context().Err() != nil {
		_ = c.NoContent(499) // the client has gone; nobody reads this
		return
	}
	p := problemOf(err, id)
	p.TraceID = telemetry.TraceID(c.Request().Context())
	if _, ok := errors.AsType[*vimCheckError](err); ok && p.Status == http.StatusForbidden {
		p.Status = http.StatusBadRequest // the VIM refused what the request says, Windlass refused nothing
	}
	if p.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(c.Request().Context(), "Request failed", "requestId", id, "path", c.Request().URL.Path,
			"status", p.Status, "error", err)
	}
	if p.Status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	if strings.HasPrefix(c.Request().URL.Path, "/v1.0/") {
		_ = writeBody(c, p.Status, mimeJSON, tackerError(err, p))
		return
	}
	_ = writeBody(c, p.Status, mimeProblem, p)
}

func writeBody(c echo.Context, status int, contentType string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.Blob(status, contentType, b)
}
