package kubernetes

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	authentication "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// The service account that Windlass uses for a cluster of its own that is registered as a VIM.
// scripts/sh/create-vim-account.sh makes it.
const (
	accountNamespace = "kube-system"
	accountName      = "windlass-vnfm"
)

// Kubeconfig makes a kubeconfig for a cluster that Windlass has registered as a VIM. It has a new token of the VIM's
// service account. The token is valid for lifetime at most, until expires. Calls go through wraps. The guard says which
// addresses the VIM may have.
//
// Errors: Unavailable when the VIM does not answer; Denied when it refuses the credentials; Conflict when the account
// is gone. No error contains any part of a token.
func Kubeconfig(ctx context.Context, vim lcm.Vim, cred map[string]any, lifetime time.Duration, guard outbound.Guard,
	wraps ...func(http.RoundTripper) http.RoundTripper,
) (text string, expires time.Time, err error) {
	config, err := configOf(vim, cred, wraps)
	if err != nil {
		return "", expires, err
	}
	config.Timeout = patience
	conf, err := rest.TLSConfigFor(config)
	if err != nil {
		return "", expires, unusable(vim, err)
	}
	transport := outbound.Transport(conf, guard)
	defer transport.CloseIdleConnections()
	client, err := clientOf(config, transport, guard)
	if err != nil {
		return "", expires, unusable(vim, err)
	}
	token, expires, err := newToken(ctx, client, lifetime)
	if errors.IsNotFound(err) {
		return "", expires, lcm.Wrap(lcm.KindConflict, err, "The service account %s in %s, which the VIM %s uses, "+
			"does not exist in the cluster any more.", accountName, accountNamespace, vim.Name)
	}
	if err != nil {
		return "", expires, translate("make a token of "+accountName, err)
	}
	text, err = kubeconfigOf(vim.Name, config, token)
	return text, expires, err
}

// newToken requests a token of the account. The API server may shorten its lifetime.
func newToken(ctx context.Context, client *discovery.DiscoveryClient, lifetime time.Duration) (
	token string, expires time.Time, err error,
) {
	request := authentication.TokenRequest{Spec: authentication.TokenRequestSpec{
		ExpirationSeconds: new(int64(lifetime / time.Second)),
	}}
	request.APIVersion, request.Kind = authentication.SchemeGroupVersion.String(), "TokenRequest"
	body, err := json.Marshal(request)
	if err != nil {
		return "", expires, err
	}
	answer := client.RESTClient().Post().
		AbsPath("/api/v1/namespaces", accountNamespace, "serviceaccounts", accountName, "token").
		SetHeader("Content-Type", "application/json").Body(body).MaxRetries(0).Do(ctx)
	if err := answer.Error(); err != nil { // Raw's error has less of the server's message
		return "", expires, err
	}
	raw, err := answer.Raw()
	if err != nil {
		return "", expires, err
	}
	request = authentication.TokenRequest{}
	if json.Unmarshal(raw, &request) != nil || request.Status.Token == "" { // the error could contain the token
		return "", expires, lcm.Errorf(lcm.KindUnavailable, "The VIM answered without a token.")
	}
	return request.Status.Token, request.Status.ExpirationTimestamp.UTC(), nil
}

// kubeconfigOf writes a kubeconfig with one cluster, one user and a context of both.
func kubeconfigOf(name string, to *rest.Config, token string) (string, error) {
	file := api.NewConfig()
	file.Clusters[name] = &api.Cluster{
		Server: to.Host, CertificateAuthorityData: to.CAData, InsecureSkipTLSVerify: to.Insecure,
	}
	file.AuthInfos[name] = &api.AuthInfo{Token: token}
	file.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	file.CurrentContext = name
	text, err := clientcmd.Write(*file)
	return string(text), err
}
