package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// IsOutage reports whether an error of an HTTP client can get better with time: the server did not answer, or its answer
// was cut. All other errors without an answer are complaints of the client's library about what it was asked for, such as
// a name that is missing. Nobody should wait for them to go away.
func IsOutage(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	if IsUnreadable(err) {
		return true // a balancer's page in place of the answer
	}
	if called, ok := errors.AsType[*url.Error](err); ok {
		return called.Op != "parse" && !isMistake(called.Err.Error())
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return isHTTP2(err.Error())
}

// IsUnreadable reports whether an answer is none of the API that was asked.
func IsUnreadable(err error) bool {
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	_, isType := errors.AsType[*json.UnmarshalTypeError](err)
	return isSyntax || isType || errors.Is(err, io.ErrUnexpectedEOF)
}

// isMistake recognises what net/http refuses to send; it has no types for that.
func isMistake(text string) bool {
	for _, words := range []string{"invalid header field", "invalid method", "unsupported protocol scheme", "no Host in request"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// isHTTP2 recognises errors of a connection of HTTP/2 while an answer is read; their types are not exported.
func isHTTP2(text string) bool {
	return strings.HasPrefix(text, "http2: ") || strings.HasPrefix(text, "stream error: ") ||
		strings.HasPrefix(text, "connection error: ")
}
