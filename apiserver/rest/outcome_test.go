package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
)

// opened decrypts the secrets of a stored document.
func open(b *servertest.Bench, t *testing.T, doc []byte) string {
	t.Helper()
	clear, err := secrets.OpenDocument(t.Context(), b.Vault, doc)
	require.NoError(t, err)
	return string(clear)
}

func TestCommitWhoseAnswerIsLost_keepsTheSecretsOfAVim(t *testing.T) {
	b, way := servertest.NewLosing(t)
	way.LoseNext()
	created := b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
		"name": "lab", "type": "openstack", "auth_url": "http://192.0.2.5/identity/v3",
		"auth_cred": map[string]any{"username": "nfv", "password": servertest.Marker + "-first"},
		"extra":     map[string]any{"token": servertest.Marker + "-extra"},
	}}).Want(http.StatusCreated)
	require.Equal(t, 1, way.Lost())
	id := lcm.VimID(created["vim"].(map[string]any)["id"].(string))
	requireWhole := func(password string) {
		t.Helper()
		vim, err := b.Store.Vim(t.Context(), id)
		require.NoError(t, err)
		require.ElementsMatch(t, servertest.SecretsOf(vim), b.Sealed(), "nothing is lost, nothing is left")
		clear, err := b.Vault.Get(t.Context(), rest.References(vim.AuthCred)[0])
		require.NoError(t, err)
		require.Equal(t, password, clear)
	}
	requireWhole(servertest.Marker + "-first")

	way.LoseNext()
	b.Do("PUT", "/v1.0/vims/"+string(id),
		map[string]any{"vim": map[string]any{"auth_cred": map[string]any{"password": servertest.Marker +
			"-second"}}}).Want(http.StatusOK)
	require.Equal(t, 2, way.Lost())
	requireWhole(servertest.Marker + "-second")
}

func TestCommitWhoseAnswerIsLost_keepsTheSecretsOfAnOperation(t *testing.T) {
	b, way := servertest.NewLosing(t)
	instance, request := b.Ready("/vnflcm/v1")
	way.LoseNext()
	a := b.Do("POST", instance+"/instantiate", request)
	a.Want(http.StatusAccepted)
	require.Equal(t, 1, way.Lost())
	o := b.Operation(a.Path())
	require.NotEmpty(t, rest.ReferencesIn(o.Params))
	require.Contains(t, open(b, t, o.Params), servertest.Marker+"-master")
	require.Len(t, b.Starter.Starts, 1, "it is begun, and said so")
}

func TestCommitWhoseAnswerIsLost_keepsTheSecretsOfASubscription(t *testing.T) {
	b, way := servertest.NewLosing(t, func(o *apiserver.Options) { o.Notifications.TestCallback = false })
	way.LoseNext()
	b.Do("POST", "/vnflcm/v1/subscriptions", map[string]any{
		"callbackUri": "http://192.0.2.7/", "authentication": map[string]any{
			"authType": []string{"BASIC"}, "paramsBasic": map[string]any{"userName": "windlass", "password": servertest.Marker +
				"-subscriber"},
		},
	}).Want(http.StatusCreated)
	require.Equal(t, 1, way.Lost())
	subs, err := b.Store.SubscriptionPage(t.Context(), lcm.APILcm, 1, store.Page{})
	require.NoError(t, err)
	require.Len(t, subs, 1)
	require.Contains(t, open(b, t, subs[0].Authentication), servertest.Marker+"-subscriber")
}
