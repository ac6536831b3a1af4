package auth

import (
	"errors"
	"net/http"
	"strings"
)

// Chain authenticates by the first of several methods that a request has something for.
type Chain []Method

// UnauthenticatedError tells why a request is not authenticated.
type UnauthenticatedError struct {
	*RefusalError
	// Challenges are the WWW-Authenticate headers of the answer.
	Challenges []string
}

func (f *UnauthenticatedError) Unwrap() error { return f.RefusalError }

// Authenticate identifies the sender of the request. An error is a *UnauthenticatedError, or an *lcm.Error if the
// sender cannot be looked up now.
func (c Chain) Authenticate(r *http.Request) (Identity, error) {
	for _, m := range c {
		i, given, err := m.Authenticate(r)
		if refusal, ok := errors.AsType[*RefusalError](err); ok {
			return Identity{}, &UnauthenticatedError{refusal, []string{m.Challenge(refusal)}}
		}
		if given || err != nil {
			return i, err
		}
	}
	f := &UnauthenticatedError{RefusalError: &RefusalError{Detail: "The request does not say who sends it: it has no " +
		c.wanted() + "."}}
	for _, m := range c {
		f.Challenges = append(f.Challenges, m.Challenge(nil))
	}
	return Identity{}, f
}

// wanted names the accepted credentials.
func (c Chain) wanted() string {
	var names []string
	for _, m := range c {
		switch m.(type) {
		case *OAuth2:
			names = append(names, "bearer token (Authorization)")
		case *Keystone:
			names = append(names, "Keystone token (X-Auth-Token)")
		case *Certificates:
			names = append(names, "client certificate")
		default:
			names = append(names, "credentials")
		}
	}
	return strings.Join(names, ", or ")
}
