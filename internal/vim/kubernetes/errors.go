package kubernetes

import (
	"context"
	goerrors "errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/windlass-nfv/windlass/internal/lcm"
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
	kind := lcm.KindUnavailable
	switch {
	case errors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota"):
		kind = lcm.KindExhausted
	case errors.IsForbidden(err):
		kind = lcm.KindDenied
	case errors.IsNotFound(err), meta.IsNoMatchError(err):
		kind = lcm.KindNotFound
	case errors.IsConflict(err), errors.IsAlreadyExists(err):
		kind = lcm.KindConflict
	case errors.IsInvalid(err), errors.IsBadRequest(err), errors.IsMethodNotSupported(err),
		errors.IsRequestEntityTooLargeError(err), errors.IsNotAcceptable(err), errors.IsUnsupportedMediaType(err):
		kind = lcm.KindInvalid
	}
	return lcm.Wrap(kind, err, "The VIM could not %s: %s", doing, sentence(err))
}

// sentence returns the API server's message with one full stop at its end.
func sentence(err error) string {
	text := err.Error()
	if status, ok := goerrors.AsType[*errors.StatusError](err); ok && status.ErrStatus.Message != "" {
		text = status.ErrStatus.Message
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".") + "."
}
