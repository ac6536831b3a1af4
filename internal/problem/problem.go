// Package problem is ProblemDetails, the standard's form of errors: in answers, in operations and in notifications.
package problem

import (
	"net/http"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Details is ProblemDetails (SOL013 clause 6.3, RFC 9457).
type Details struct {
	// Type is the server's page about errors of this kind, relative to the server's address.
	Type     string `json:"type,omitempty"`
	Title    string `json:"title,omitempty"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance,omitempty"`
	// Problems lists every mistake with its JSON path; detail holds the same in one sentence.
	Problems []lcm.Problem `json:"problems,omitempty"`
	// Step is the title of the operation's step that has failed. Remedy says what mends the cause. OtherRequest is set if
	// only another request can succeed. Only errors of operations have them.
	Step         string `json:"step,omitempty"`
	Remedy       string `json:"remedy,omitempty"`
	OtherRequest bool   `json:"otherRequest,omitempty"`
	// TraceID is the trace of OpenTelemetry that tells more, where traces are made.
	TraceID string `json:"traceId,omitempty"`
}

// HelpPage is the page about errors that every server has.
const HelpPage = "/docs/troubleshooting.md"

// TypeOfHTTP is the section of that page about answers that only HTTP knows.
const TypeOfHTTP = HelpPage + "#http"

// TypeOf is the section of that page about errors of a kind.
func TypeOf(kind lcm.ErrorKind) string { return HelpPage + "#" + strings.ToLower(string(kind)) }

// Status is the HTTP border's translation of an error's kind.
func Status(e *lcm.Error) int {
	switch e.Kind {
	case lcm.KindInvalid:
		if e.Unprocessable {
			return http.StatusUnprocessableEntity
		}
		return http.StatusBadRequest
	case lcm.KindNotFound:
		return http.StatusNotFound
	case lcm.KindConflict:
		return http.StatusConflict
	case lcm.KindDenied:
		return http.StatusForbidden
	case lcm.KindUnavailable, lcm.KindExhausted:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// OfOperation shows an operation's error, which is stored as lcm.Error, as SOL003 does; nil of nil.
func OfOperation(e *lcm.Error) *Details {
	if e == nil {
		return nil
	}
	p := &Details{
		Type: TypeOf(e.Kind), Title: string(e.Kind), Status: Status(e), Detail: e.Sentence(), Problems: e.Problems,
		Remedy: RemedyOf(e), TraceID: e.TraceID,
	}
	if p.Detail == "" {
		p.Detail = "The operation failed."
	}
	return p
}

// OfStep is OfOperation, with the step that has failed while the operation is in this state.
func OfStep(e *lcm.Error, state lcm.OperationState, step string) *Details {
	p := OfOperation(e)
	if p != nil && (state == lcm.FailedTemp || state == lcm.Failed) {
		p.Step, p.OtherRequest = step, e.NeedsRequest()
	}
	return p
}
