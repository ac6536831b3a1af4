package ui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

const goodToken, goodPassword = "token-of-edge", "right"

// keystone accepts one token of one user, of the project edge.
type keystone struct{}

func (keystone) Authenticate(r *http.Request) (auth.Identity, error) {
	if r.Header.Get("X-Auth-Token") != goodToken {
		return auth.Identity{}, &auth.UnauthenticatedError{RefusalError: &auth.RefusalError{Detail: "Keystone does not know the token."}}
	}
	return auth.Identity{Client: "keystone Default/operator", Project: "edge", Scopes: []string{auth.ScopeRead}}, nil
}

func (keystone) LogIn(_ context.Context, u auth.KeystoneUser) (auth.Token, error) {
	if u.Password != goodPassword || u.Project != "edge" {
		return auth.Token{}, &auth.RefusalError{Detail: "Keystone does not know this user with this password in this project."}
	}
	return auth.Token{Value: goodToken}, nil
}

// TestLogin needs a database and a browser only, so it is quick.
func TestLogin(t *testing.T) {
	url := pgtest.URL(t)
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	tenThousand(t, url)
	var api *apiserver.Server
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { api.ServeHTTP(w, r) }))
	t.Cleanup(server.CloseClientConnections)
	api, err = apiserver.New(apiserver.Options{
		API:   config.API{Endpoint: server.URL, PageSize: 50},
		Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db), Auth: keystone{},
		Passwords: keystone{}, Page: ui.Settings{Tokens: map[string]string{"keystone": "X-Auth-Token"}},
	})
	require.NoError(t, err)

	b := open(t, server.URL+"/")
	b.says("h1", "Log in to Windlass")
	b.pictureOf("login")
	b.keys(`input[name=username]`, "operator")
	b.keys(`input[name=password]`, "wrong")
	b.keys(`input[name=project]`, "edge\r")
	b.says(".problem", "Keystone does not know this user")
	b.fill(`textarea[name=token]`, "forged")
	b.do(chromedp.Evaluate(`document.querySelector("textarea").form.requestSubmit()`, nil))
	b.says(".problem", "Keystone does not know the token")
	b.fill(`input[name=password]`, "")
	b.keys(`input[name=password]`, goodPassword+"\r")
	b.says("main .count", "10,000 instances")
	b.says("td", "<b>many-1</b>") // the page must show a name as text, also one that looks like HTML
	b.press("Last")
	b.says(".pager", "9,951 to 10,000 of 10,000")
	b.keys(`input[type=search]`, "many-777")
	b.says("main .count", "11 instances")

	var kept, cookies string
	b.do(chromedp.Evaluate(`Object.keys(localStorage).join()`, &kept), chromedp.Evaluate(`document.cookie`, &cookies))
	require.Empty(t, kept+cookies, "credentials are in the tab only")
	b.do(chromedp.Reload())
	b.says("main .count", "11 instances")
	b.do(chromedp.Navigate(server.URL + "/ui/#/packages"))
	b.says("main .count", "121 packages") // the page needs three answers for them
	b.press("Last")
	b.says(".pager", "101 to 121 of 121")
	b.keys(`input[type=search]`, "product 77")
	b.says("main .count", "1 package")
	b.fitsNarrowScreens(server.URL)
	b.click(`details.menu summary`)
	b.press("Log out")
	b.says("h1", "Log in to Windlass")
}

// fitsNarrowScreens shows pages at a width of 360 px, with dark colours, and uses one with the keyboard.
func (b *browser) fitsNarrowScreens(server string) {
	b.Helper()
	light, dark := "", ""
	const background = `getComputedStyle(document.body).backgroundColor`
	b.do(chromedp.Evaluate(background, &light), chromedp.EmulateViewport(360, 740),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Evaluate(background, &dark))
	require.NotEqual(b, light, dark)
	for page, says := range map[string]string{
		"": "10,000 instances", "packages": "121 packages", "operations": "0 operations", "vims": "There is no VIM yet",
	} {
		b.do(chromedp.Navigate(server + "/ui/#/" + page))
		b.says("main", says)
		var width int
		b.do(chromedp.Evaluate(`document.documentElement.scrollWidth`, &width))
		require.LessOrEqual(b, width, 360, "#/%s", page)
	}
	var focused bool
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(
		`document.activeElement.matches("a, button, input, summary") && document.activeElement.matches(":focus-visible")`, &focused))
	require.True(b, focused, "the keyboard reaches what can be used")
	b.do(chromedp.EmulateReset(), emulation.SetEmulatedMedia())
}

// tenThousand creates ten thousand instances of the project edge.
func tenThousand(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `
		insert into vnf_pkg (id, onboarding_state, operational_state, vnfd_id, provider, product_name, software_version,
			vnfd_version, checksum_algo, checksum, project_id)
		values ('package', 'ONBOARDED', 'ENABLED', 'vnfd', 'Windlass', 'Kubernetes cluster', '1.0', '1.0', 'SHA-256', '', 'edge');
		insert into vnf_pkg (id, onboarding_state, operational_state, vnfd_id, provider, product_name, software_version,
			vnfd_version, checksum_algo, checksum, project_id)
		select gen_random_uuid()::text, 'ONBOARDED', 'ENABLED', 'vnfd-' || n, 'Windlass', 'Product ' || n, '1.0', '1.0',
			'SHA-256', '', 'edge'
		from generate_series(1, 120) n;
		insert into vnf_instance (id, name, description, vnfd_id, vnf_pkg_id, provider, product_name, software_version,
			vnfd_version, instantiation_state, project_id)
		select gen_random_uuid()::text, case n when 1 then '<b>many-1</b>' else 'many-' || n end, '', 'vnfd', 'package',
			'Windlass', 'Kubernetes cluster', '1.0', '1.0', 'NOT_INSTANTIATED', 'edge'
		from generate_series(1, 10000) n`)
	require.NoError(t, err)
}
