package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
)

// The types of bodies.
const (
	MimeJSON    = "application/json"
	MimeProblem = "application/problem+json"
)

// ProblemDetails is the body of every error.
type ProblemDetails = problem.Details

// httpError is an error that only HTTP knows: 401, 403, 405, 406, 408, 412, 413, 414, 415, 416, 429.
type httpError struct {
	status int
	detail string
}

func (e *httpError) Error() string { return e.detail }

// HTTPErrorf is an error with a status that only HTTP knows.
func HTTPErrorf(status int, format string, args ...any) error {
	return &httpError{status: status, detail: fmt.Sprintf(format, args...)}
}

// ProblemOf makes the body of an error. The details of unclassified errors stay in the log: the client gets the id that
// finds them there.
func ProblemOf(err error, requestID string) ProblemDetails {
	p := ProblemDetails{Type: problem.TypeOfHTTP, Status: http.StatusInternalServerError}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		p.Status, p.Detail = http.StatusRequestEntityTooLarge,
			fmt.Sprintf("The request's body is larger than the %s that this server accepts here.", SizeText(e.Limit))
	} else if e, ok := errors.AsType[*httpError](err); ok { // also as the cause of another error
		p.Status, p.Detail = e.status, e.detail
	} else if e, ok := errors.AsType[*lcm.Error](err); ok && e.Kind != lcm.KindBug {
		p.Type, p.Status, p.Detail, p.Problems = problem.TypeOf(e.Kind), problem.Status(e), e.Sentence(), e.Problems
	} else if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		p.Status, p.Detail = e.Code, routerDetail(e)
	} else if errors.Is(err, context.DeadlineExceeded) {
		p.Status, p.Detail = http.StatusGatewayTimeout, "The request took too long; try again."
	} else {
		p.Type = problem.TypeOf(lcm.KindBug)
		p.Detail = "Windlass met an unexpected error. Its log has the cause under requestId " + requestID + "."
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// SizeText is a number of bytes as people read it.
func SizeText(bytes int64) string {
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
		return "The resource does not support this method; the Allow header lists the methods that it supports."
	default:
		return fmt.Sprint(e.Message)
	}
}

// Unprocessable is a 422: the request is well-formed, but its value at path cannot be used.
func Unprocessable(path, format string, args ...any) error {
	return &lcm.Error{
		Kind: lcm.KindInvalid, Unprocessable: true, Detail: "The request names something that cannot be used",
		Problems: []lcm.Problem{{Path: path, Detail: fmt.Sprintf(format, args...)}},
	}
}

// Sentence is an error as clients read it.
func Sentence(err error) string {
	if e, ok := AsError(err); ok {
		return e.Sentence()
	}
	return err.Error()
}

// Clip shortens a text to n bytes.
func Clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
