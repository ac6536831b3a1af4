package servertest

import (
	"context"
	"net/http"
	"net/netip"
	"sync"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// Vims accept all credentials, unless the test sets Refuse.
type Vims struct {
	mu sync.Mutex
	// Regions are what the VIM has; Version and Warnings are findings about a Kubernetes VIM.
	Regions  []string
	Version  string
	Warnings []string
	Refuse   error
	// Tried is the last VIM, Seen and Extras the credentials and the extra of all. Asked counts requests for quotas.
	Tried        lcm.Vim
	Seen, Extras []map[string]any
	Asked        int
	// Meanwhile runs while credentials are checked.
	Meanwhile func()
}

// Check is a method of vims.Checker.
func (o *Vims) Check(_ context.Context, vim lcm.Vim, credentials map[string]any) (lcm.VimFindings, error) {
	o.mu.Lock() // several VIMs are checked at the same time
	o.Tried = vim
	o.Seen, o.Extras = append(o.Seen, credentials), append(o.Extras, vim.Extra)
	do := o.Meanwhile
	o.Meanwhile = nil
	o.mu.Unlock()
	if do != nil {
		do()
	}
	return lcm.VimFindings{Regions: o.Regions, Version: o.Version, Warnings: o.Warnings}, o.Refuse
}

// Quotas is a method of vims.Checker.
func (o *Vims) Quotas(context.Context, lcm.Vim, map[string]any) ([]lcm.VimQuota, error) {
	o.Asked++
	return []lcm.VimQuota{{Resource: "servers", Limit: "10", Used: "3"}, {Resource: "cores", Used: "7"}}, o.Refuse
}

// Read is a method of vims.Checker.
func (o *Vims) Read(vim lcm.Vim, cred map[string]any, path string) (lcm.Vim, map[string]any, error) {
	return kubernetes.ReadKubeconfig(vim, cred, path)
}

// RegisterVim registers an OpenStack VIM and returns its id.
func (b *Bench) RegisterVim(name string, isDefault bool) string {
	b.Helper()
	doc := b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": name, "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3", "is_default": isDefault,
		"auth_cred":   map[string]any{"username": "nfv", "password": Marker + "-vim", "user_domain_name": "Default"},
		"vim_project": map[string]any{"name": "nfv", "project_domain_name": "Default"},
	}}).Want(http.StatusCreated)
	return doc["vim"].(map[string]any)["id"].(string)
}

// RegisterCluster registers a Kubernetes VIM and returns its id.
func (b *Bench) RegisterCluster(name string) string {
	b.Helper()
	doc := b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": name, "type": "kubernetes", "auth_url": "https://192.0.2.6:6443",
		"auth_cred":   map[string]any{"bearer_token": Marker + "-token", "ssl_ca_cert": "None"},
		"vim_project": map[string]any{"name": "default"},
	}}).Want(http.StatusCreated)
	return doc["vim"].(map[string]any)["id"].(string)
}

// RegisterKubernetes registers a Kubernetes VIM with a token.
func (b *Bench) RegisterKubernetes(name string) (path string) {
	b.Helper()
	made := b.RegisterCredentials(name, map[string]any{"bearer_token": Marker, "ssl_ca_cert": "None"}).
		Want(http.StatusCreated)["vim"].(map[string]any)
	return "/v1.0/vims/" + made["id"].(string)
}

// RegisterCredentials registers a Kubernetes VIM with these credentials, and returns the answer.
func (b *Bench) RegisterCredentials(name string, cred map[string]any) Answer {
	b.Helper()
	return b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": name, "type": "kubernetes", "auth_url": "https://192.0.2.7:6443", "auth_cred": cred,
		"vim_project": map[string]any{"name": "default"},
	}})
}

// Denied is what the server says of a denied address.
const Denied = "is denied: no VIM and no node may have it (vims.deniedNetworks)"

// WithDenied denies the addresses of two networks to VIMs.
func WithDenied(o *apiserver.Options) {
	denied := []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10")}
	o.VimAddresses = outbound.Guard{Denied: denied, Section: "vims", What: "no VIM and no node may have it"}
}

// DeniedHosts are addresses of the denied networks, in the forms of URLs.
var DeniedHosts = []string{"169.254.169.254", "[fe80::1]", "[fe80::1%25eth0]", "[::ffff:169.254.169.254]"}
