package openstack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/applicationcredentials"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/stretchr/testify/require"
)

func TestWrongCredentialsAre401(t *testing.T) {
	b := newBench(t)
	for name, c := range map[string][3]string{
		"password": {"demo", "wrong", "demo"}, "user": {"nobody", demoPassword, "demo"},
		"project": {"demo", demoPassword, "nothing"}, "foreign project": {"demo", demoPassword, "admin"},
	} {
		_, err := b.provider(c[0], c[1], c[2])
		require.True(t, gophercloud.ResponseCodeIs(err, http.StatusUnauthorized), "%s: %v", name, err)
	}
	for _, path := range []string{
		"/compute/v2.1/servers", "/networking/v2.0/ports", "/image/v2/images",
		"/heat-api/v1/x/stacks", "/volume/v3/x/volumes",
	} {
		code, _ := b.raw("GET", path, "", nil)
		require.Equal(t, http.StatusUnauthorized, code, path)
		code, _ = b.raw("GET", path, "forged", nil)
		require.Equal(t, http.StatusUnauthorized, code, path)
	}
}

func TestVersionlessAuthURLIsDiscovered(t *testing.T) {
	b := newBench(t)
	_, err := client.AuthenticatedClient(t.Context(), gophercloud.AuthOptions{
		IdentityEndpoint: b.server.URL + "/identity", Username: "demo", Password: demoPassword, TenantName: "demo",
		DomainID: "default",
	})
	require.NoError(t, err)
	p := b.demo()
	for _, open := range []func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error){
		client.NewIdentityV3, client.NewComputeV2, client.NewNetworkV2, client.NewBlockStorageV3, client.NewImageV2,
		client.NewOrchestrationV1,
	} {
		for _, face := range []gophercloud.Availability{
			gophercloud.AvailabilityPublic, gophercloud.AvailabilityInternal,
			gophercloud.AvailabilityAdmin,
		} {
			_, err := open(p, gophercloud.EndpointOpts{Region: "RegionOne", Availability: face})
			require.NoError(t, err)
		}
		_, err := open(p, gophercloud.EndpointOpts{Region: "Elsewhere"})
		require.Error(t, err)
	}
}

func TestExpiredTokenIsRenewed(t *testing.T) {
	b := newBench(t)
	p := b.demo()
	before := p.Token()
	b.shift.Store(int64(2 * time.Hour))
	code, _ := b.raw("GET", "/compute/v2.1/flavors", before, nil)
	require.Equal(t, http.StatusUnauthorized, code)
	sc, err := client.NewComputeV2(p, gophercloud.EndpointOpts{})
	require.NoError(t, err)
	_, err = flavors.ListDetail(sc, nil).AllPages(t.Context())
	require.NoError(t, err, "gophercloud logs in again")
	require.NotEqual(t, before, p.Token())
}

func TestRevokedTokenIsRefused(t *testing.T) {
	b := newBench(t)
	p := b.demo()
	id, err := client.NewIdentityV3(p, gophercloud.EndpointOpts{})
	require.NoError(t, err)
	other := b.demo().Token()
	valid, err := tokens.Validate(t.Context(), id, other)
	require.NoError(t, err)
	require.True(t, valid)
	require.NoError(t, tokens.Revoke(t.Context(), id, other).Err)
	code, _ := b.raw("GET", "/compute/v2.1/flavors", other, nil)
	require.Equal(t, http.StatusUnauthorized, code)
	valid, err = tokens.Validate(t.Context(), id, other)
	require.NoError(t, err)
	require.False(t, valid)
}

func TestApplicationCredentialWorksUntilDeleted(t *testing.T) {
	b := newBench(t)
	p := b.demo()
	id, err := client.NewIdentityV3(p, gophercloud.EndpointOpts{})
	require.NoError(t, err)
	user, err := p.GetAuthResult().(tokens.CreateResult).ExtractUser()
	require.NoError(t, err)
	cred, err := applicationcredentials.Create(t.Context(), id, user.ID,
		applicationcredentials.CreateOpts{Name: "vnfm"}).Extract()
	require.NoError(t, err)
	require.NotEmpty(t, cred.Secret)
	login := func(secret string) (*gophercloud.ProviderClient, error) {
		return client.AuthenticatedClient(t.Context(), gophercloud.AuthOptions{
			IdentityEndpoint: b.server.URL + "/identity/v3", ApplicationCredentialID: cred.ID,
			ApplicationCredentialSecret: secret,
		})
	}
	byCred, err := login(cred.Secret)
	require.NoError(t, err)
	code, _ := b.raw("GET", "/compute/v2.1/servers", byCred.Token(), nil)
	require.Equal(t, http.StatusOK, code)
	_, err = login("wrong")
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusUnauthorized))
	require.NoError(t, applicationcredentials.Delete(t.Context(), id, user.ID, cred.ID).ExtractErr())
	_, err = login(cred.Secret)
	require.True(t, gophercloud.ResponseCodeIs(err, http.StatusNotFound))
	code, _ = b.raw("GET", "/compute/v2.1/servers", byCred.Token(), nil)
	require.Equal(t, http.StatusUnauthorized, code, "its tokens go with it")
}

func TestUnscopedTokenReachesKeystoneOnly(t *testing.T) {
	b := newBench(t)
	body := `{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"demo","domain":{"id":"default"},"password":"` + demoPassword + `"}}}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+"/identity/v3/auth/tokens",
		strings.NewReader(body))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	token := res.Header.Get("X-Subject-Token")
	code, out := b.raw("GET", "/identity/v3/auth/projects", token, nil)
	require.Equal(t, http.StatusOK, code)
	require.Len(t, out["projects"], 1)
	code, _ = b.raw("GET", "/compute/v2.1/servers", token, nil)
	require.Equal(t, http.StatusForbidden, code)
}

func TestProjectsDoNotSeeEachOther(t *testing.T) {
	b := newBench(t)
	admin, err := b.provider("admin", adminPassword, "admin")
	require.NoError(t, err)
	_, out := b.raw("POST", "/networking/v2.0/networks", admin.Token(),
		strings.NewReader(`{"network":{"name":"private"}}`))
	id := out["network"].(map[string]any)["id"].(string)
	code, _ := b.raw("GET", "/networking/v2.0/networks/"+id, b.demo().Token(), nil)
	require.Equal(t, http.StatusNotFound, code)
	code, _ = b.raw("GET", "/heat-api/v1/"+b.demoProject()+"/stacks", admin.Token(), nil)
	require.Equal(t, http.StatusOK, code, "an administrator may look")
	code, _ = b.raw("GET", "/heat-api/v1/ffffffffffffffffffffffffffffffff/stacks", b.demo().Token(), nil)
	require.Equal(t, http.StatusForbidden, code)
}

func TestCatalogTakesServicesOfOthers(t *testing.T) {
	b := newBench(t)
	const at = "/lab/catalog/nfv-orchestration"
	code, _ := b.raw("PUT", at, "", strings.NewReader(`{"name":"windlass","url":"nowhere"}`))
	require.Equal(t, http.StatusBadRequest, code)
	find := func() (string, error) {
		return b.demo().EndpointLocator(gophercloud.EndpointOpts{
			Type: "nfv-orchestration", Region: "RegionOne", Availability: gophercloud.AvailabilityPublic,
		})
	}
	_, err := find()
	require.Error(t, err)
	for _, url := range []string{"http://127.0.0.1:9890/", "http://127.0.0.1:9990/"} { // its address may change
		code, _ = b.raw("PUT", at, "", strings.NewReader(`{"name":"windlass","url":"`+url+`"}`))
		require.Equal(t, http.StatusOK, code)
		found, err := find()
		require.NoError(t, err)
		require.Equal(t, url, found)
	}
	code, _ = b.raw("DELETE", at, "", nil)
	require.Equal(t, http.StatusNoContent, code)
	_, err = find()
	require.Error(t, err)
}
