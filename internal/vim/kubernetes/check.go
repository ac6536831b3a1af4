// Package kubernetes drives Kubernetes as a VIM through its API. It speaks lcm types and lcm.Error;
// client-go stops here.
package kubernetes

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// patience is how long a check waits for an answer.
const patience = 5 * time.Second

// Check asks the API for its version with the VIM's credentials: bearer_token, or username and password, and
// ssl_ca_cert. Without a CA the server's certificate is not verified, as Tacker does.
//
// Errors: Denied for wrong credentials, Unavailable when nothing answers.
func Check(ctx context.Context, vim lcm.Vim, cred map[string]any) error {
	config := &rest.Config{Host: vim.AuthURL, Timeout: patience}
	config.BearerToken, _ = cred["bearer_token"].(string)
	config.Username, _ = cred["username"].(string)
	config.Password, _ = cred["password"].(string)
	if ca, _ := cred["ssl_ca_cert"].(string); ca != "" && ca != "None" {
		config.CAData = []byte(ca)
	} else {
		config.Insecure = true
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return lcm.Wrap(lcm.KindInvalid, err, "The VIM %s has unusable credentials or an unusable auth_url.", vim.Name)
	}
	// /version is open to everyone; listing the APIs needs a known user.
	err = client.RESTClient().Get().AbsPath("/apis").Do(ctx).Error()
	switch {
	case err == nil:
		return nil
	case errors.IsUnauthorized(err) || errors.IsForbidden(err):
		return lcm.Wrap(lcm.KindDenied, err, "The Kubernetes API at %s refused the credentials of VIM %s.", vim.AuthURL, vim.Name)
	default:
		return lcm.Wrap(lcm.KindUnavailable, err, "The Kubernetes API of VIM %s does not answer at %s.", vim.Name, vim.AuthURL)
	}
}
