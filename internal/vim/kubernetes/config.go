package kubernetes

import (
	"net/http"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
	vimlogin "github.com/windlass-nfv/windlass/internal/vim/login"
)

// configOf reads credentials: bearer_token, username and password, client_certificate and client_key, or what OpenID
// Connect needs; and ssl_ca_cert, without which the server's certificate is not verified, as Tacker does. Calls go
// through wraps, those for tokens too.
//
// Errors: Invalid for credentials that cannot be used.
func configOf(
	to lcm.Vim, cred map[string]any, wraps []func(http.RoundTripper) http.RoundTripper,
) (*rest.Config, error) {
	if problems := login.CredentialProblems("$", cred); len(problems) > 0 {
		return nil, lcm.InvalidAll("The credentials of VIM "+to.Name+" cannot be used", problems)
	}
	text := func(key string) string {
		value, _ := cred[key].(string)
		return value
	}
	config := &rest.Config{Host: to.AuthURL}
	for _, wrap := range wraps {
		config.Wrap(wrap)
	}
	switch {
	case text(login.TokenURL) != "":
		config.Wrap(openIDOf(text).wrap)
	case text(login.Token) != "":
		config.BearerToken = strings.TrimSpace(text(login.Token)) // a file's last line end came with it
	case text(login.Key) != "":
		config.CertData = []byte(vimlogin.UnfoldPEM(text(login.Certificate)))
		config.KeyData = []byte(vimlogin.UnfoldPEM(text(login.Key)))
	default:
		config.Username, config.Password = text(login.User), text(login.Password)
	}
	verify(config, text(login.Authority))
	return config, nil
}

// verify makes client-go verify the certificates of the VIM, and of the issuer of its tokens, with the authority.
func verify(config *rest.Config, authority string) {
	if authority == "" || authority == login.Unverified {
		config.Insecure = true
		return
	}
	config.CAData = []byte(vimlogin.UnfoldPEM(authority))
}
