package openstack

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// translate turns an error of gophercloud into an lcm.Error; doing is a verb phrase, e.g. "create stack x".
func translate(doing string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return e
	}
	var e *lcm.Error
	if again, ok := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); ok {
		e = renewalError(err, again.ErrReauth)
	} else if answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err); ok {
		said := message(answer.Body)
		e = lcm.Wrap(kindOfStatus(answer.Actual, said), err, "OpenStack refused to %s: %s", doing,
			orStatus(said, answer.Actual))
		e.RetryAfter = waitOf(answer)
	} else if said := complaint(err); said != "" {
		e = lcm.Wrap(lcm.KindInvalid, err, "Windlass cannot ask OpenStack to %s: %s.", doing, said)
	} else {
		kind, why := silence(err)
		e = lcm.Wrap(kind, err, "OpenStack did not answer when asked to %s: %s.", doing, why)
	}
	e.Op = doing
	return e
}

// renewalError explains why a token could not be renewed.
func renewalError(err, cause error) *lcm.Error {
	if e, ok := errors.AsType[*lcm.Error](cause); ok {
		return lcm.Wrap(e.Kind, err, "The token has expired, and there is no new one: %s", e.Detail)
	}
	if answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](cause); ok {
		if answer.Actual < http.StatusInternalServerError && answer.Actual != http.StatusTooManyRequests {
			return lcm.Wrap(lcm.KindDenied, err,
				"Keystone no longer accepts the credentials of the VIM. Update them at /v1.0/vims, then retry.")
		}
		e := lcm.Wrap(lcm.KindUnavailable, err, "Keystone gives no new token now: %s",
			orStatus(message(answer.Body), answer.Actual))
		e.RetryAfter = waitOf(answer)
		return e
	}
	kind, why := silence(cause)
	return lcm.Wrap(kind, err, "The token has expired, and Keystone does not answer: %s.", why)
}

// silence explains why there was no answer at all. Waiting does not repair a bad certificate.
func silence(err error) (lcm.ErrorKind, string) {
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return lcm.KindInvalid, fmt.Sprintf("its TLS certificate cannot be verified (%v); give the VIM the ca_cert of its "+
			"authority, or correct its auth_url", bad.Err)
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return lcm.KindInvalid, "it does not speak TLS there; correct http or https in the VIM's auth_url or in the catalog"
	}
	name, isName := errors.AsType[*net.DNSError](err)
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return lcm.KindUnavailable, "Windlass ended the call"
	case isName:
		return lcm.KindUnavailable, "its name " + name.Name + " cannot be resolved"
	case isNet && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return lcm.KindUnavailable, "it took too long"
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return lcm.KindUnavailable, sysError(e.Err)
	}
	if outbound.IsUnreadable(err) {
		return lcm.KindUnavailable, "Windlass could not understand the answer"
	}
	return lcm.KindUnavailable, "the connection was closed"
}

// complaint returns what the client's library says of a request that it has not sent, such as one with two names of the
// same domain; "" for an error of another kind. Waiting does not help.
func complaint(err error) string {
	if outbound.IsOutage(err) || errors.Is(err, context.Canceled) {
		return ""
	}
	return strings.TrimSuffix(oneLine(err.Error()), ".")
}

// sysError drops the name of the system call.
func sysError(err error) string {
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func orStatus(said string, status int) string {
	if said == "" {
		return fmt.Sprintf("%d %s", status, http.StatusText(status))
	}
	return said
}

// longestWait limits the wait that a cloud can ask for with Retry-After.
const longestWait = 5 * time.Minute

// waitOf reads Retry-After, in both of its forms.
func waitOf(answer gophercloud.ErrUnexpectedResponseCode) time.Duration {
	value := answer.ResponseHeader.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(value); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = time.Until(at)
	}
	return min(max(wait, 0), longestWait)
}

// retryAfter is how long the cloud asked clients to wait.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

func kindOfStatus(status int, said string) lcm.ErrorKind {
	switch {
	case status >= http.StatusInternalServerError, status == http.StatusTooManyRequests,
		status == http.StatusRequestTimeout:
		return lcm.KindUnavailable
	case exhausted(said), status == http.StatusRequestEntityTooLarge: // the latter is Cinder's over quota
		return lcm.KindExhausted
	case status == http.StatusNotFound:
		return lcm.KindNotFound
	case status == http.StatusConflict:
		return lcm.KindConflict
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return lcm.KindDenied
	default:
		return lcm.KindInvalid
	}
}

// exhausted recognises quotas and full clouds by the messages of Nova, Neutron, Cinder and Heat: Heat drops their
// codes.
func exhausted(reason string) bool {
	r := strings.ToLower(reason)
	for _, words := range []string{"quota", "no valid host", "not enough hosts", "no more ip addresses", "insufficient"} {
		if strings.Contains(r, words) {
			return true
		}
	}
	return false
}

// longestMessage limits a message of OpenStack that is passed on, in characters.
const longestMessage = 1000

// message finds the message in an error body; each service has its own format. It passes on only OpenStack's errors. A
// user may name any server as a VIM, and must not get to read its pages.
func message(body []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var wrapped struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(members[name], &wrapped) == nil && wrapped.Message != "" {
			return oneLine(wrapped.Message)
		}
	}
	names := []string{"NeutronError", "explanation"}
	if members["title"] != nil { // a message of OpenStack's WSGI library itself
		names = append(names, "message")
	}
	for _, name := range names {
		var plain string
		if json.Unmarshal(members[name], &plain) == nil && plain != "" {
			return oneLine(plain)
		}
	}
	return ""
}

// oneLine makes a text fit into a sentence.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if runes := []rune(text); len(runes) > longestMessage {
		text = string(runes[:longestMessage]) + "..."
	}
	return text
}

func authError(vim lcm.Vim, err error) error {
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return lcm.Wrap(e.Kind, err, "The VIM %s cannot be used at %s: %s", vim.Name, vim.AuthURL, e.Detail)
	}
	answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	switch said := complaint(err); {
	case !ok && said != "":
		return lcm.Wrap(lcm.KindInvalid, err, "The VIM %s has credentials that cannot be used: %s.", vim.Name, said)
	case !ok:
		kind, why := silence(err)
		return lcm.Wrap(kind, err, "The VIM %s does not answer at %s: %s.", vim.Name, vim.AuthURL, why)
	case answer.Actual == http.StatusUnauthorized || answer.Actual == http.StatusForbidden ||
		strings.Contains(string(answer.Body), "Application Credential"):
		return lcm.Wrap(lcm.KindDenied, err, "Keystone at %s refused the credentials of VIM %s. Check user, password, "+
			"domains and project, or the application credential.",
			vim.AuthURL, vim.Name)
	case answer.Actual == http.StatusNotFound:
		return lcm.Wrap(lcm.KindInvalid, err, "There is no Keystone v3 at %s. Check the auth_url of VIM %s.", vim.AuthURL,
			vim.Name)
	case kindOfStatus(answer.Actual, "") == lcm.KindUnavailable:
		e := lcm.Wrap(lcm.KindUnavailable, err, "Keystone at %s, of VIM %s, cannot answer now: %s", vim.AuthURL, vim.Name,
			orStatus(message(answer.Body), answer.Actual))
		e.RetryAfter = waitOf(answer)
		return e
	default:
		return lcm.Wrap(lcm.KindInvalid, err, "Keystone at %s does not understand the VIM's credentials: %s", vim.AuthURL,
			orStatus(message(answer.Body), answer.Actual))
	}
}

// mask removes secrets from OpenStack's message. It also removes the cause, which would go to the log unmasked.
func mask(err error, secrets []string) error {
	e, ok := errors.AsType[*lcm.Error](err)
	if !ok {
		return err
	}
	clean := e.Detail
	for _, secret := range secrets {
		if secret != "" {
			clean = strings.ReplaceAll(clean, secret, "***")
		}
	}
	if clean == e.Detail {
		return err
	}
	masked := *e
	masked.Detail, masked.Err = clean, nil
	return &masked
}
