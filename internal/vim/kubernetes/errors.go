package kubernetes

import (
	"context"
	goerrors "errors"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// translate makes an lcm.Error from an answer of the API server. doing completes "The VIM could not", such as "read the
// Pods".
func translate(doing string, err error) error {
	if ours, ok := goerrors.AsType[*lcm.Error](err); ok {
		return ours
	}
	if goerrors.Is(err, context.Canceled) || goerrors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.IsUnauthorized(err) {
		return lcm.Wrap(lcm.KindDenied, err, "The VIM refused the credentials when asked to %s: %s",
			doing, sentence(err))
	}
	return lcm.Wrap(kindOfError(err), err, "The VIM could not %s: %s", doing, sentence(err))
}

func kindOfError(err error) lcm.ErrorKind {
	switch {
	case errors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota"):
		return lcm.KindExhausted
	case errors.IsForbidden(err):
		return lcm.KindDenied
	case errors.IsNotFound(err), meta.IsNoMatchError(err):
		return lcm.KindNotFound
	case errors.IsConflict(err), errors.IsAlreadyExists(err):
		return lcm.KindConflict
	case mayImprove(err):
		return lcm.KindUnavailable
	}
	return lcm.KindInvalid
}

// mayImprove reports whether the same request may succeed later. Everything that is not known to improve does not: users
// want to read about a mistake at once, and not after the attempts for an outage.
func mayImprove(err error) bool {
	if partly, ok := goerrors.AsType[*discovery.ErrGroupDiscoveryFailed](err); ok {
		return partly != nil // the server of an APIService does not answer
	}
	if _, ok := goerrors.AsType[discovery.StaleGroupVersionError](err); ok {
		return true // nor does the one of a group among others, in newer clusters' words
	}
	answer, ok := goerrors.AsType[*errors.StatusError](err)
	if !ok {
		return outbound.IsOutage(err)
	}
	code := answer.ErrStatus.Code
	switch {
	case code >= http.StatusInternalServerError:
		return !ofWrongObject(answer.ErrStatus.Message)
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusGone:
		return true // the last: a list took so long that its next page is no longer known
	}
	return code == 0 && outbound.IsOutage(err)
}

// ofWrongObject recognises the errors of server-side apply about the object itself. The API server answers them with
// 500, as it does an outage of its own.
func ofWrongObject(message string) bool {
	for _, begin := range []string{
		"failed to create typed patch object", "failed to create typed live object", "failed to prune fields",
		"failed to create typed new object", "failed to convert",
	} {
		if strings.HasPrefix(message, begin) {
			return true
		}
	}
	return strings.Contains(message, "error") && strings.Contains(message, "typed value")
}

// sentence returns the API server's message with one full stop at its end.
func sentence(err error) string {
	text := err.Error()
	if status, ok := goerrors.AsType[*errors.StatusError](err); ok && status.ErrStatus.Message != "" {
		text = status.ErrStatus.Message
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".") + "."
}
