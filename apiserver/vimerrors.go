package apiserver

import (
	"errors"
	"net/http"
	"strings"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// vimCheckError is why a VIM was not registered: the VIM's own answer, not Windlass's.
type vimCheckError struct{ err error }

func (e *vimCheckError) Error() string { return e.err.Error() }
func (e *vimCheckError) Unwrap() error { return e.err }

type tackerErrorBody struct {
	TackerError tackerErrorDetail `json:"TackerError"`
}

type tackerErrorDetail struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Detail  string `json:"detail"`
}

// tackerError is the form of errors below /v1.0: type is the exception that Tacker's client knows, message is
// what it prints.
func tackerError(err error, p rest.ProblemDetails) tackerErrorBody {
	kind := map[int]string{
		http.StatusBadRequest: "InvalidInput", http.StatusNotFound: "NotFound", http.StatusConflict: "Conflict",
		http.StatusServiceUnavailable: "ServiceUnavailable",
	}[p.Status]
	if e, ok := errors.AsType[*vimCheckError](err); ok {
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
	return tackerErrorBody{tackerErrorDetail{Type: kind, Message: p.Detail}}
}
