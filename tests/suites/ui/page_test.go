package ui

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

const project = "edge"

// readers authenticates each client with the scopes that its token lists.
type readers struct{}

func (readers) Authenticate(r *http.Request) (auth.Identity, error) {
	token := r.Header.Get("X-Auth-Token")
	if token == "" {
		return auth.Identity{}, &auth.UnauthenticatedError{RefusalError: &auth.RefusalError{Detail: "There is no token."}}
	}
	return auth.Identity{Client: "reader", Project: project, Scopes: append(strings.Fields(token), auth.ScopeRead)}, nil
}

// page is the web page of a server with a database. The test writes into the database as a worker would.
type page struct {
	*browser

	url   string
	lose  func() // closes the connections to the server
	store *store.Store
	sql   *pgx.Conn
}

func openPage(t *testing.T, change ...func(*apiserver.Options)) *page {
	t.Helper()
	database := pgtest.URL(t)
	db, err := store.Open(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	var api *apiserver.Server
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { api.ServeHTTP(w, r) }))
	t.Cleanup(server.CloseClientConnections)
	options := apiserver.Options{
		API:   config.API{Endpoint: server.URL, PageSize: 50},
		Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db), Auth: readers{},
		Page: ui.Settings{Tokens: map[string]string{"keystone": "X-Auth-Token"}},
	}
	for _, c := range change {
		c(&options)
	}
	api, err = apiserver.New(options)
	require.NoError(t, err)
	p := &page{url: server.URL + "/ui/", lose: server.CloseClientConnections, store: db}
	p.connect(t, database)
	p.onboard(t, project)
	p.browser = open(t, p.url)
	return p
}

// connect lets the test write into the database as nothing in Windlass does.
func (p *page) connect(t *testing.T, database string) {
	t.Helper()
	sql, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = sql.Close(context.WithoutCancel(t.Context())) })
	p.sql = sql
}

// onboard makes the package of all instances.
func (p *page) onboard(t *testing.T, project lcm.ProjectID) {
	t.Helper()
	p.exec(t, `
		insert into vnf_pkg (id, onboarding_state, operational_state, vnfd_id, provider, product_name, software_version,
			vnfd_version, checksum_algo, checksum, project_id)
		values ('package', 'ONBOARDED', 'ENABLED', 'vnfd', 'Windlass', 'Kubernetes cluster', '1.0', '1.0', 'SHA-256', '', $1)`, project)
}

// idOf returns the id of the resource that the test gives this name.
func idOf(name string) string { return uuid.NewSHA1(uuid.Nil, []byte(name)).String() }

func (p *page) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := p.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// as logs a user with these scopes in.
func (p *page) as(scopes string) {
	p.Helper()
	credentials, err := json.Marshal(map[string]string{"header": "X-Auth-Token", "value": scopes})
	require.NoError(p, err)
	quoted, err := json.Marshal(string(credentials))
	require.NoError(p, err)
	p.do(chromedp.Evaluate(`sessionStorage.setItem("windlass.credentials", `+string(quoted)+`)`, nil), chromedp.Reload())
	p.says(".live", "Live")
}

// goTo opens a place of the page.
func (p *page) goTo(place string) {
	p.Helper()
	p.do(chromedp.Navigate(p.url + "#/" + place))
}

// instance creates an instance; info is nil for an instance that is not instantiated.
func (p *page) instance(name string, info *lcm.InstantiatedVnfInfo, edit func(*lcm.VnfInstance)) {
	p.Helper()
	ctx := lcm.WithScope(p.Context(), lcm.Scope{Project: project})
	inst := lcm.VnfInstance{
		ID: lcm.VnfInstanceID(idOf(name)), Name: name, VnfPkgID: "package", VnfdID: "vnfd", ProductName: "Kubernetes cluster",
		InstantiationState: lcm.NotInstantiated,
	}
	require.NoError(p, p.store.CreateInstance(ctx, inst))
	if info == nil {
		return
	}
	inst, err := p.store.Instance(ctx, inst.ID)
	require.NoError(p, err)
	inst.InstantiationState, inst.Instantiated = lcm.Instantiated, info
	if edit != nil {
		edit(&inst)
	}
	require.NoError(p, p.store.UpdateInstance(ctx, inst))
}

// checked records a check for drift.
func (p *page) checked(instance, report, holder string, findings ...lcm.DriftFinding) {
	p.Helper()
	_, err := p.store.RecordDrift(p.Context(), lcm.VnfInstanceID(idOf(instance)), lcm.DriftReport{
		ID: report, CheckedAt: time.Now(), VirtualIPHolder: holder, Findings: findings,
	}, nil)
	require.NoError(p, err)
}

// operation creates an operation, or changes its state and the columns that follow from it.
func (p *page) operation(name, instance string, kind lcm.Operation, state lcm.OperationState, forwardOnly bool, cancel lcm.CancelMode) {
	p.Helper()
	p.exec(p.T, `
		insert into vnf_lcm_op_occ (id, vnf_instance_id, operation, state, grant_id, is_automatic_invocation, api_version,
			project_id, forward_only, cancel_mode, is_cancel_pending)
		values ($1, $2, $3, $4, '', false, 2, $5, $6, $7::text, $7::text <> '')
		on conflict (id) do update set operation = $3, state = $4, forward_only = $6, cancel_mode = $7::text,
			is_cancel_pending = $7::text <> '', state_entered_time = now()`,
		idOf(name), idOf(instance), kind, state, project, forwardOnly, cancel)
	p.exec(p.T, `select append_event($1, 'operation', jsonb_build_object('state', $2::text, 'stateEnteredTime', now()))`, idOf(name), state)
}
