package lcm

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/windlass-nfv/windlass/internal/params"
)

// ErrorKind classifies an Error by what can be done about it. Three borders translate it: to Temporal (retryable or not), to
// HTTP (status) and to the VnfLcmOpOcc (ROLLED_BACK or FAILED_TEMP).
type ErrorKind string

// The kinds. Only Unavailable is retried automatically: waiting does not help with the others.
const (
	KindInvalid     ErrorKind = "Invalid"     // bad input: 400, or 422 with Unprocessable
	KindNotFound    ErrorKind = "NotFound"    // 404; a delete treats it as success
	KindConflict    ErrorKind = "Conflict"    // wrong state, or another operation is under way: 409
	KindDenied      ErrorKind = "Denied"      // credentials or rights: 403, or FAILED_TEMP
	KindExhausted   ErrorKind = "Exhausted"   // quota, no valid host, disk full: a person must make room
	KindUnavailable ErrorKind = "Unavailable" // network, 5xx, locks: retried with back-off
	KindBroken      ErrorKind = "Broken"      // the other side failed for good: CREATE_FAILED, kubeadm preflight
	KindBug         ErrorKind = "Bug"         // everything unclassified that is not I/O
)

// Error is the one error type that crosses package borders.
type Error struct {
	Kind ErrorKind `json:"kind"`
	// Op is a verb phrase with its object, e.g. "join worker-3f2a91c0".
	Op string `json:"op,omitempty"`
	// Detail is a sentence for the operator: what failed, on which node, what to do. It reaches API
	// answers and workflow histories, so it never holds a secret.
	Detail string `json:"detail"`
	// Problems lists every mistake when there are several, so that the user can fix all at once.
	Problems []Problem `json:"problems,omitempty"`
	// Unprocessable turns an Invalid error into a 422: the body is well formed but names something that does not exist.
	Unprocessable bool `json:"unprocessable,omitempty"`
	// OtherRequest is set if the request must be another one, although it is not Invalid: the cloud or a node showed it.
	OtherRequest bool `json:"otherRequest,omitempty"`
	// Cancelled is the mode of the cancel that stopped the operation, "" for any other error.
	Cancelled CancelMode `json:"cancelled,omitempty"`
	// TraceID is the id of the trace in which the error occurred, "" when there is none. The code that stores an error
	// sets it.
	TraceID string `json:"traceId,omitempty"`
	// RetryAfter is the time that the other side asked clients to wait; 0 when it named none.
	RetryAfter time.Duration `json:"-"`
	// Err is the cause, for the log only.
	Err error `json:"-"`
}

// Problem is one mistake in a request, a file or a node.
type Problem = params.Problem

// MemberPath is the JSON path of a member of the object at path.
func MemberPath(path, key string) string { return params.MemberPath(path, key) }

func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op + ": ")
	}
	b.WriteString(e.Detail)
	for _, p := range e.Problems {
		fmt.Fprintf(&b, "; %s: %s", p.Path, p.Detail)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %s", e.Err)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// NeedsRequest reports whether only a different request can succeed, as far as the error tells.
func (e *Error) NeedsRequest() bool {
	return e != nil && (e.Kind == KindInvalid || e.OtherRequest)
}

// Sentence is the text for an operator: Detail with every problem, without the cause.
func (e *Error) Sentence() string {
	if len(e.Problems) == 0 {
		return e.Detail
	}
	parts := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		parts = append(parts, p.Path+": "+p.Detail)
	}
	if e.Detail == "" {
		return strings.Join(parts, "; ")
	}
	return strings.TrimSuffix(e.Detail, ".") + ": " + strings.Join(parts, "; ")
}

// Limits of an error that travels and is stored, in bytes: an API server may refuse thousands of objects with a page of
// text each. Temporal accepts 4 MiB in a message, and drops the text of a failure far below that.
const (
	longestDetail   = 8 << 10
	longestProblem  = 1 << 10
	longestHeadline = 1 << 10
	mostProblems    = 50
)

// Shortened returns the error with long texts cut and, of many problems, the first ones and the number of the others.
func (e *Error) Shortened() *Error {
	c := *e
	c.Op, c.Detail = Cut(e.Op, longestHeadline), Cut(e.Detail, longestDetail)
	c.Problems = nil
	for _, p := range e.Problems[:min(len(e.Problems), mostProblems)] {
		c.Problems = append(c.Problems, Problem{Path: Cut(p.Path, longestHeadline), Detail: Cut(p.Detail, longestProblem)})
	}
	if more := len(e.Problems) - mostProblems; more > 0 {
		c.Detail = fmt.Sprintf("%s (%d problems; the first %d follow)", strings.TrimSuffix(c.Detail, "."), len(e.Problems),
			mostProblems)
	}
	return &c
}

// Headline is the beginning of the sentence, for places that show one line.
func (e *Error) Headline() string { return Cut(e.Sentence(), longestHeadline) }

// Cut shortens a text to that many bytes, at the end of a character.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const more = "..."
	end := most - len(more)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + more
}

// Errorf makes an Error whose Detail is the formatted sentence.
func Errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error with a cause that goes to the log only.
func Wrap(kind ErrorKind, err error, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...), Err: err}
}

// InvalidAll makes an Invalid error of all problems found, nil when there is none.
func InvalidAll(detail string, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &Error{Kind: KindInvalid, Detail: detail, Problems: problems}
}

// KindOf returns the kind of the first Error in err's chain, else KindBug.
func KindOf(err error) ErrorKind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindBug
}

// Is reports whether err is an Error of that kind.
func Is(err error, kind ErrorKind) bool {
	return err != nil && KindOf(err) == kind
}

// Sentence is the text of err for an operator: an Error's Sentence, else its text.
func Sentence(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Sentence()
	}
	return err.Error()
}
