package openstack

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// translate makes an lcm.Error of what gophercloud returned; doing is a verb phrase, e.g. "create stack x".
func translate(doing string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		return e
	}
	if answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err); ok {
		said := message(answer.Body)
		e := lcm.Wrap(kindOfStatus(answer.Actual, said), err, "OpenStack refused to %s: %s", doing, said)
		e.Op = doing
		return e
	}
	if _, ok := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); ok {
		return lcm.Wrap(lcm.KindDenied, err, "Keystone no longer accepts the credentials of the VIM. Update them at /v1.0/vims, then retry.")
	}
	e := lcm.Wrap(lcm.KindUnavailable, err, "OpenStack did not answer when asked to %s.", doing)
	e.Op = doing
	return e
}

func kindOfStatus(status int, said string) lcm.Kind {
	switch {
	case exhausted(said):
		return lcm.KindExhausted
	case status == http.StatusNotFound:
		return lcm.KindNotFound
	case status == http.StatusConflict:
		return lcm.KindConflict
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return lcm.KindDenied
	case status == http.StatusRequestEntityTooLarge:
		return lcm.KindExhausted // Cinder's over quota
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return lcm.KindUnavailable
	default:
		return lcm.KindInvalid
	}
}

// exhausted recognises quotas and full clouds by the words of Nova, Neutron, Cinder and Heat: none of them
// has a code for it that survives Heat.
func exhausted(reason string) bool {
	r := strings.ToLower(reason)
	for _, words := range []string{"quota", "no valid host", "not enough hosts", "no more ip addresses", "insufficient"} {
		if strings.Contains(r, words) {
			return true
		}
	}
	return false
}

// message finds the sentence in an error body; each service wraps it in another way.
func message(body []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) == nil {
		for _, raw := range members {
			var wrapped struct {
				Message string `json:"message"`
			}
			if json.Unmarshal(raw, &wrapped) == nil && wrapped.Message != "" {
				return wrapped.Message
			}
		}
		for _, name := range []string{"message", "NeutronError", "explanation"} {
			var plain string
			if json.Unmarshal(members[name], &plain) == nil && plain != "" {
				return plain
			}
		}
	}
	return strings.TrimSpace(string(body[:min(len(body), 300)]))
}

func authError(vim lcm.Vim, err error) error {
	if gophercloud.ResponseCodeIs(err, http.StatusUnauthorized) || gophercloud.ResponseCodeIs(err, http.StatusForbidden) {
		return lcm.Wrap(lcm.KindDenied, err, "Keystone at %s refused the credentials of VIM %s. Check user, password, domains and project.",
			vim.AuthURL, vim.Name)
	}
	if answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err); ok && answer.Actual < http.StatusInternalServerError {
		return lcm.Wrap(lcm.KindInvalid, err, "Keystone at %s does not understand the VIM's credentials: %s", vim.AuthURL, message(answer.Body))
	}
	return lcm.Wrap(lcm.KindUnavailable, err, "The VIM %s does not answer at %s. Check the address and the network.", vim.Name, vim.AuthURL)
}

// mask takes secrets out of what OpenStack has said. The cause goes, too: it would reach the log as it is.
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
