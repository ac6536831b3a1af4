package vims

import (
	"errors"
	"net/http"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// checkError is why a VIM was not registered: the VIM's own answer, not Windlass's.
type checkError struct{ err error }

func (e *checkError) Error() string { return e.err.Error() }
func (e *checkError) Unwrap() error { return e.err }

// Refused tells whether err is a VIM's own answer.
func Refused(err error) bool {
	_, ok := errors.AsType[*checkError](err)
	return ok
}

type tackerErrorBody struct {
	TackerError tackerErrorDetail `json:"TackerError"`
	// Type is the type of ProblemDetails, for Windlass's client. Tacker's client ignores it.
	Type string `json:"type,omitempty"`
}

type tackerErrorDetail struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	// Detail is printed in a line of its own.
	Detail string `json:"detail"`
}

// ErrorBody is the form of errors below /v1.0. type is the exception that Tacker's client knows; the client prints
// message and detail. The detail leads to the page about such errors, at that endpoint.
func ErrorBody(err error, p rest.ProblemDetails, endpoint string) any {
	kind := map[int]string{
		http.StatusBadRequest: "InvalidInput", http.StatusNotFound: "NotFound", http.StatusConflict: "Conflict",
		http.StatusServiceUnavailable: "ServiceUnavailable",
	}[p.Status]
	if e, ok := errors.AsType[*checkError](err); ok {
		switch lcm.KindOf(e.err) {
		case lcm.KindDenied:
			kind = "VimUnauthorizedException"
		case lcm.KindUnavailable:
			kind = "VimConnectionException"
		default: // the status tells enough
		}
	}
	if kind == "" {
		kind = strings.ReplaceAll(http.StatusText(p.Status), " ", "")
	}
	told := tackerErrorDetail{Type: kind, Message: p.Detail}
	if p.Type != "" {
		told.Detail = "Read what such errors mean: " + endpoint + p.Type
	}
	return tackerErrorBody{TackerError: told, Type: p.Type}
}
