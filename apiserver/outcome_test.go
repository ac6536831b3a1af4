package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// losing connects the server to the database through a proxy that can lose the answer to a commit.
func (b *bench) losing(t *testing.T) *pgtest.Losing {
	t.Helper()
	way := pgtest.NewLosing(t, b.databaseURL)
	db, err := store.Open(t.Context(), way.URL)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	b.server.Store, b.server.backend.Store = db, db
	return way
}

// opened decrypts the secrets of a stored document.
func (b *bench) opened(t *testing.T, doc []byte) string {
	t.Helper()
	clear, err := secrets.OpenDocument(t.Context(), b.vault, doc)
	require.NoError(t, err)
	return string(clear)
}

func TestCommitWhoseAnswerIsLost_keepsTheSecretsOfAVim(t *testing.T) {
	b := newBench(t)
	way := b.losing(t)
	way.LoseNext()
	created := b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"auth_cred": map[string]any{"username": "nfv", "password": marker + "-first"},
		"extra":     map[string]any{"token": marker + "-extra"},
	}}).want(http.StatusCreated)
	require.Equal(t, 1, way.Lost())
	id := lcm.VimID(created["vim"].(map[string]any)["id"].(string))
	requireWhole := func(password string) {
		t.Helper()
		vim, err := b.store.Vim(t.Context(), id)
		require.NoError(t, err)
		require.ElementsMatch(t, secretsOf(vim), sealed(b), "nothing is lost, nothing is left")
		clear, err := b.vault.Get(t.Context(), rest.References(vim.AuthCred)[0])
		require.NoError(t, err)
		require.Equal(t, password, clear)
	}
	requireWhole(marker + "-first")

	way.LoseNext()
	b.do("PUT", "/v1.0/vims/"+string(id),
		map[string]any{"vim": map[string]any{"auth_cred": map[string]any{"password": marker +
			"-second"}}}).want(http.StatusOK)
	require.Equal(t, 2, way.Lost())
	requireWhole(marker + "-second")
}

func TestCommitWhoseAnswerIsLost_keepsTheSecretsOfAnOperation(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	way := b.losing(t)
	way.LoseNext()
	a := b.do("POST", instance+"/instantiate", request)
	a.want(http.StatusAccepted)
	require.Equal(t, 1, way.Lost())
	o := b.operation(a.path())
	require.NotEmpty(t, rest.ReferencesIn(o.Params))
	require.Contains(t, b.opened(t, o.Params), marker+"-master")
	require.Len(t, b.starter.starts, 1, "it is begun, and said so")
}

func TestCommitWhoseAnswerIsLost_keepsTheSecretsOfASubscription(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Notifications.TestCallback = false })
	way := b.losing(t)
	way.LoseNext()
	b.do("POST", "/vnflcm/v1/subscriptions", map[string]any{
		"callbackUri": "http://192.0.2.7/", "authentication": map[string]any{
			"authType": []string{"BASIC"}, "paramsBasic": map[string]any{"userName": "windlass", "password": marker +
				"-subscriber"},
		},
	}).want(http.StatusCreated)
	require.Equal(t, 1, way.Lost())
	subs, err := b.store.SubscriptionPage(t.Context(), lcm.APILcm, 1, store.Page{})
	require.NoError(t, err)
	require.Len(t, subs, 1)
	require.Contains(t, b.opened(t, subs[0].Authentication), marker+"-subscriber")
}
