package ui

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
)

// triedVims tries Kubernetes VIMs as the API server does, and accepts every OpenStack. It keeps what it was given.
type triedVims struct {
	mu   sync.Mutex
	seen []map[string]any
}

func (v *triedVims) Check(ctx context.Context, vim lcm.Vim, credentials map[string]any) (lcm.VimFindings, error) {
	v.mu.Lock()
	v.seen = append(v.seen, credentials)
	v.mu.Unlock()
	if vim.Type == lcm.VimOpenStack {
		return lcm.VimFindings{Regions: []string{"RegionOne"}}, nil
	}
	return kubernetes.Check(ctx, vim, credentials, outbound.Guard{}, nil)
}

func (v *triedVims) Quotas(ctx context.Context, vim lcm.Vim, credentials map[string]any) ([]lcm.VimQuota, error) {
	if vim.Type == lcm.VimOpenStack {
		return []lcm.VimQuota{{Resource: "servers", Limit: "10", Used: "3"}, {Resource: "cores", Used: "7"}}, nil
	}
	return kubernetes.Quotas(ctx, vim, credentials, outbound.Guard{})
}

func (v *triedVims) Read(vim lcm.Vim, credentials map[string]any, path string) (lcm.Vim, map[string]any, error) {
	return kubernetes.ReadKubeconfig(vim, credentials, path)
}

// last are the credentials that were tried last.
func (v *triedVims) last() map[string]any {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen[len(v.seen)-1]
}

// TestRegisterVim registers VIMs with the form of the page, and looks for their secrets afterwards.
func TestRegisterVim(t *testing.T) {
	cluster := kubetest.StartInMemory(t)
	tried := &triedVims{}
	p := openPage(t, func(o *apiserver.Options) { o.Vims = tried })
	p.as("none")
	p.goTo("vims")
	p.says("h1", "VIMs")
	p.offers() // who may not register a VIM has no form for it
	p.as("vim:v1:create")
	p.goTo("vims")
	p.offers("Register a VIM…")

	p.kubernetesWithATokenAndCA(cluster, tried)
	p.openStack(tried)
	p.applicationCredential(tried)
	p.kubeconfigFile(cluster)
	p.closedForm()
}

// labelled finds the field with a label.
func labelled(label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("dialog label")].filter((l) => l.firstChild?.textContent === %q)
		.map((l) => document.getElementById(l.htmlFor)).filter(Boolean)`, label)
}

// enter types into the field with a label.
func (p *page) enter(label, text string) {
	p.Helper()
	p.reach(labelled(label), "focus")
	p.do(chromedp.Evaluate(fmt.Sprintf(`{
		const field = %s[0];
		field.value = %q;
		field.dispatchEvent(new Event("change", {bubbles: true}));
	}`, labelled(label), text), nil))
}

// pick chooses the option with a text.
func (p *page) pick(label, option string) {
	p.Helper()
	var value string
	p.look(fmt.Sprintf(`[...%s[0].options].find((o) => o.textContent === %q).value`, labelled(label), option), &value)
	p.enter(label, value)
}

// forgets requires that a secret is nowhere in the browser: not in the page, its fields, its storage or its address.
func (p *page) forgets(secret string) {
	p.Helper()
	var kept string
	p.do(chromedp.Evaluate(`[document.documentElement.outerHTML, location.href, JSON.stringify(history.state), document.cookie,
		JSON.stringify({...localStorage}), JSON.stringify({...sessionStorage}),
		...[...document.querySelectorAll("input, textarea, select")].map((e) => e.value)].join("\n")`, &kept))
	require.NotContains(p, kept, secret)
}

func (p *page) kubernetesWithATokenAndCA(cluster *kubetest.ControlPlane, tried *triedVims) {
	p.Helper()
	p.press("Register a VIM…")
	p.says("dialog", "Log in with")
	p.enter("Name", "edge")
	p.enter("Bearer token", kubetest.Token)
	p.enter("Address of the Kubernetes API", "https://192.0.2.7:6443")
	p.pictureOf("register")
	p.enter("Address of the Kubernetes API", cluster.URL)
	p.enter("CA certificates, PEM", cluster.CA)
	p.enter("Bearer token", "wrong-"+kubetest.Token)
	p.shows(labelled("Bearer token")+`.flatMap((e) => [e.type, e.autocomplete])`, "password", "off")
	p.press("Register")
	p.says("dialog .problem", "refused")
	p.forgets(kubetest.Token)

	p.enter("Bearer token", kubetest.Token)
	p.press("Register")
	p.says("h1", "edge")
	p.says(".state", "Reachable")
	p.says(".facts", "a bearer token")
	require.Equal(p, kubetest.Token, tried.last()["bearer_token"])
	require.Equal(p, strings.TrimSpace(cluster.CA), tried.last()["ssl_ca_cert"])
	p.forgets(kubetest.Token)
	p.do(chromedp.NavigateBack())
	p.says("table", "edge")
	p.forgets(kubetest.Token)
}

func (p *page) openStack(tried *triedVims) {
	p.Helper()
	p.press("Register a VIM…")
	p.enter("Name", "north")
	p.pick("Type", "OpenStack")
	p.enter("Address of Keystone", "http://192.0.2.5/v3")
	p.enter("User", "nfv")
	p.enter("Password", "the-password")
	p.enter("Project", "edge")
	p.press("Register")
	p.says("h1", "north")
	p.says(".facts", "user and password")
	p.says(".facts", "RegionOne")
	p.says("table", "servers\t3 of 10")
	p.says("table", "cores\t7 no limit")
	got, err := json.Marshal(tried.last())
	require.NoError(p, err)
	require.JSONEq(p, `{"username":"nfv","password":"the-password","user_domain_name":"Default","cert_verify":"True"}`, string(got))
	p.forgets("the-password")
	var project string
	require.NoError(p, p.sql.QueryRow(p.Context(), `select project::text from vim where name = 'north'`).Scan(&project))
	require.JSONEq(p, `{"name":"edge","project_domain_name":"Default"}`, project)
}

func (p *page) applicationCredential(tried *triedVims) {
	p.Helper()
	p.goTo("vims")
	p.press("Register a VIM…")
	p.enter("Name", "south")
	p.pick("Type", "OpenStack")
	p.pick("Log in with", "Application credential")
	p.enter("Id of the application credential", "the-id")
	p.enter("Secret of the application credential", "the-secret")
	p.enter("Address of Keystone", "http://192.0.2.6/v3")
	p.enter("Region", "RegionOne")
	p.press("Register")
	p.says("h1", "south")
	got, err := json.Marshal(tried.last())
	require.NoError(p, err)
	require.JSONEq(p, `{"application_credential_id":"the-id","application_credential_secret":"the-secret","cert_verify":"True"}`, string(got))
	p.forgets("the-secret")
}

// kubeconfigFile registers a VIM by a file, which is the only field that it needs.
func (p *page) kubeconfigFile(cluster *kubetest.ControlPlane) {
	p.Helper()
	file := filepath.Join(p.TempDir(), "config")
	require.NoError(p, os.WriteFile(file, fmt.Appendf(nil, `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: default}}]
clusters: [{name: k, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: u, user: {token: %s}}]`, cluster.URL, base64.StdEncoding.EncodeToString([]byte(cluster.CA)), kubetest.OtherToken), 0o600))
	p.goTo("vims")
	p.press("Register a VIM…")
	p.enter("Name", "by-file")
	p.pick("Log in with", "Kubeconfig")
	p.do(chromedp.SetUploadFiles(`dialog input[type=file]`, []string{file}))
	p.press("Register")
	p.says("h1", "by-file")
	p.says(".facts", "a bearer token")
	p.says(".facts", cluster.URL)
	p.forgets(kubetest.OtherToken)
}

// closedForm leaves the form with Escape, and by another way to log in.
func (p *page) closedForm() {
	p.Helper()
	p.goTo("vims")
	p.press("Register a VIM…")
	p.enter("Bearer token", "half-typed")
	p.do(chromedp.Evaluate(`window.kept = `+labelled("Bearer token")+`[0]`, nil))
	p.pick("Log in with", "Kubeconfig")
	p.shows(`[window.kept.value]`, "")
	p.shows(labelled("Address of the Kubernetes API") + `.map(String)`) // the file has it
	p.pick("Log in with", "User and password")
	p.enter("Password", "half-typed")
	p.do(chromedp.Evaluate(`window.kept = `+labelled("Password")+`[0]`, nil))
	p.press("Cancel")
	p.shows(`[window.kept.value, ...[...document.querySelectorAll("dialog")].map(String)]`, "")
	p.forgets("half-typed")
}
