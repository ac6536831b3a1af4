// Package kubernetes drives Kubernetes as a VIM through its API. It speaks lcm types and lcm.Error;
// client-go stops here.
package kubernetes

import (
	"context"
	"encoding/json"
	goerrors "errors"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

const (
	// patience is how long a check waits for an answer.
	patience = 5 * time.Second
	// theVim begins sentences about what a VIM answers.
	theVim = "The VIM"
)

// Check asks the API for its version with the VIM's credentials: bearer_token, or username and password, and
// ssl_ca_cert. Without a CA the server's certificate is not verified, as Tacker does. What it returns are the
// namespaces, which Tacker has as the regions of such a VIM; none where the credentials may not list them. The guard
// says where the VIM may be.
//
// Errors: Denied for wrong credentials, Unavailable when nothing answers, Invalid for an address that the guard denies
// and for what answers as no Kubernetes does. The call goes through wraps.
func Check(ctx context.Context, vim lcm.Vim, cred map[string]any, guard outbound.Guard,
	wraps ...func(http.RoundTripper) http.RoundTripper,
) (namespaces []string, err error) {
	config := &rest.Config{Host: vim.AuthURL, Timeout: patience}
	for _, wrap := range wraps {
		config.Wrap(wrap)
	}
	config.BearerToken, _ = cred["bearer_token"].(string)
	config.Username, _ = cred["username"].(string)
	config.Password, _ = cred["password"].(string)
	if ca, _ := cred["ssl_ca_cert"].(string); ca != "" && ca != "None" {
		config.CAData = []byte(ca)
	} else {
		config.Insecure = true
	}
	conf, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, unusable(vim, err)
	}
	transport := outbound.Transport(conf, guard)
	defer transport.CloseIdleConnections()
	client, err := clientOf(config, transport, guard)
	if err != nil {
		return nil, unusable(vim, err)
	}
	// /version is open to everyone; listing the APIs needs a known user. One answer is enough: a server that wants to
	// be asked again later would hold the check up for as long as it likes.
	err = client.RESTClient().Get().AbsPath("/apis").MaxRetries(0).Do(ctx).Error()
	switch refused, ok := goerrors.AsType[*lcm.Error](err); {
	case err == nil:
		return namespacesOf(ctx, client), nil
	case ok:
		return nil, lcm.Wrap(refused.Kind, err, "The VIM %s cannot be used at %s: %s", vim.Name, vim.AuthURL, refused.Detail)
	case errors.IsUnauthorized(err) || errors.IsForbidden(err):
		return nil, lcm.Wrap(lcm.KindDenied, err, "The Kubernetes API at %s refused the credentials of VIM %s.", vim.AuthURL,
			vim.Name)
	default:
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The Kubernetes API of VIM %s does not answer at %s.", vim.Name,
			vim.AuthURL)
	}
}

func clientOf(
	config *rest.Config, transport http.RoundTripper, guard outbound.Guard,
) (*discovery.DiscoveryClient, error) {
	wrapped, err := rest.HTTPWrappersForConfig(config, outbound.Limit(transport, theVim, guard))
	if err != nil {
		return nil, err
	}
	return discovery.NewDiscoveryClientForConfigAndClient(config, &http.Client{
		Transport: wrapped, Timeout: patience, CheckRedirect: outbound.StayThere(theVim),
	})
}

func unusable(vim lcm.Vim, err error) error {
	return lcm.Wrap(lcm.KindInvalid, err, "The VIM %s has unusable credentials or an unusable auth_url.", vim.Name)
}

const (
	// mostNamespaces bounds what is asked for and kept.
	mostNamespaces = 500
	// longestName is that of a name of a namespace: a label of DNS.
	longestName = 63
)

// namespacesOf asks once, as Check does.
func namespacesOf(ctx context.Context, client *discovery.DiscoveryClient) (names []string) {
	raw, err := client.RESTClient().Get().AbsPath("/api/v1/namespaces").
		Param("limit", strconv.Itoa(mostNamespaces)).MaxRetries(0).Do(ctx).Raw()
	if err != nil {
		return nil
	}
	var list struct {
		Items []struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		} `json:"items"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for _, item := range list.Items[:min(len(list.Items), mostNamespaces)] {
		if name := item.Metadata.Name; name != "" && len(name) <= longestName {
			names = append(names, name)
		}
	}
	return names
}
