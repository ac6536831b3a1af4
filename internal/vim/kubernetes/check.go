// Package kubernetes drives Kubernetes as a VIM through its API. Its interface has lcm types and lcm.Error only; no
// other package uses client-go.
package kubernetes

import (
	"context"
	"crypto/tls"
	"encoding/json"
	goerrors "errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
)

const (
	// patience is how long a check waits for an answer.
	patience = 5 * time.Second
	// theVim begins sentences about a VIM's answers.
	theVim = "The VIM"
)

// Check logs in to the API with the VIM's credentials and collects findings. Without a CA, it does not verify the
// server's certificate, as Tacker does. The findings are the version; the namespaces, which are the regions of such a
// VIM in Tacker, if the credentials may list them; and warnings, e.g. about rights that VNFs need and the credentials
// lack. The guard says where the VIM may be. Calls go through wraps.
//
// Errors: Denied for wrong credentials, Unavailable when nothing answers, Invalid for credentials that cannot be used,
// for an address that the guard denies and for a server that does not answer like a Kubernetes.
func Check(ctx context.Context, vim lcm.Vim, cred map[string]any, guard outbound.Guard,
	wraps ...func(http.RoundTripper) http.RoundTripper,
) (found lcm.VimFindings, err error) {
	client, end, err := checking(vim, cred, guard, wraps)
	if err != nil {
		return found, err
	}
	defer end()
	if err := answers(ctx, vim, client); err != nil {
		return found, err
	}
	return findings(ctx, vim, cred, client), nil
}

// checking returns a client that waits for a short time only, and what ends its connections.
func checking(vim lcm.Vim, cred map[string]any, guard outbound.Guard, wraps []func(http.RoundTripper) http.RoundTripper) (
	client *discovery.DiscoveryClient, end func(), err error,
) {
	config, err := configOf(vim, cred, wraps)
	if err != nil {
		return nil, nil, err
	}
	config.Timeout = patience
	conf, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, nil, unusable(vim, err)
	}
	transport := outbound.Transport(conf, guard)
	client, err = clientOf(config, transport, guard)
	if err != nil {
		return nil, nil, unusable(vim, err)
	}
	return client, transport.CloseIdleConnections, nil
}

// answers makes sure that the VIM is a Kubernetes that takes the credentials.
func answers(ctx context.Context, vim lcm.Vim, client *discovery.DiscoveryClient) error {
	// /version is open to everyone; listing the APIs needs a known user. One request is enough: with retries, a server
	// could delay the check as long as it likes.
	err := client.RESTClient().Get().AbsPath("/apis").MaxRetries(0).Do(ctx).Error()
	switch refused, ok := goerrors.AsType[*lcm.Error](err); {
	case err == nil:
		return nil
	case ok:
		return lcm.Wrap(refused.Kind, err, "The VIM %s cannot be used at %s: %s", vim.Name, vim.AuthURL, refused.Detail)
	case errors.IsUnauthorized(err) || errors.IsForbidden(err):
		return lcm.Wrap(lcm.KindDenied, err, "The Kubernetes API at %s refused the credentials of VIM %s.", vim.AuthURL,
			vim.Name)
	case untrusted(err):
		return lcm.Wrap(lcm.KindUnavailable, err, "The certificate of the Kubernetes API of VIM %s at %s is not from "+
			"the authority in ssl_ca_cert, has expired, or is for another name.", vim.Name, vim.AuthURL)
	case errors.IsNotFound(err):
		return lcm.Wrap(lcm.KindInvalid, err, "A server answers at %s, but it is no Kubernetes API: it has no /apis. Correct "+
			"the URL of VIM %s.", vim.AuthURL, vim.Name)
	case !mayImprove(err):
		return lcm.Wrap(lcm.KindInvalid, err, "The VIM %s cannot be used at %s: %s", vim.Name, vim.AuthURL, sentence(err))
	default:
		return lcm.Wrap(lcm.KindUnavailable, err, "The Kubernetes API of VIM %s does not answer at %s.", vim.Name,
			vim.AuthURL)
	}
}

// untrusted reports whether TLS failed because of the server's certificate.
func untrusted(err error) bool {
	_, ok := goerrors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// findings collects the other findings. All of them together may take only as long as one answer.
func findings(
	ctx context.Context, vim lcm.Vim, cred map[string]any, client *discovery.DiscoveryClient,
) (found lcm.VimFindings) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found.Warnings = login.Warnings(vim.AuthURL, cred)
	found.Regions = namespacesOf(ctx, client)
	found.Version = versionOf(ctx, client)
	namespace := vim.Namespace()
	if len(found.Regions) > 0 && len(found.Regions) < mostNamespaces && !slices.Contains(found.Regions, namespace) {
		found.Warnings = append(found.Warnings, fmt.Sprintf("The VIM has no namespace %s.", namespace))
	}
	found.Warnings = append(found.Warnings, missingRights(ctx, client, namespace)...)
	return found
}

// versionName limits a version to harmless characters; nothing else of a stranger's answer is stored.
var versionName = regexp.MustCompile(`^[0-9A-Za-z.+_-]{1,64}$`)

func versionOf(ctx context.Context, client *discovery.DiscoveryClient) string {
	raw, err := client.RESTClient().Get().AbsPath("/version").MaxRetries(0).Do(ctx).Raw()
	var answer struct {
		GitVersion string `json:"gitVersion"`
	}
	if err != nil || json.Unmarshal(raw, &answer) != nil || !versionName.MatchString(answer.GitVersion) {
		return ""
	}
	return answer.GitVersion
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
	// mostNamespaces limits the namespaces that are requested and stored.
	mostNamespaces = 500
	// longestName is the limit for the name of a namespace, a DNS label.
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
