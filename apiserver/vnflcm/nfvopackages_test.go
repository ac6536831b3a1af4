package vnflcm_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
	"github.com/windlass-nfv/windlass/internal/onboard"
)

// orchestrated returns an API server whose packages come from an NFVO, and a worker that fetches them.
func orchestrated(t *testing.T, patience time.Duration) (b *servertest.Bench, n *nfvotest.NFVO, work func()) {
	t.Helper()
	n = nfvotest.New(t)
	client := nfvo.NewOrchestrator(nfvo.OrchestratorOptions{Endpoint: n.URL, Packages: "v2"})
	b = servertest.New(t, func(o *apiserver.Options) { o.NFVOPackages, o.FetchPatience = client, patience })
	fetcher := &onboard.Fetcher{Store: b.Store, Vault: b.Vault, NFVO: client}
	work = func() {
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				ids, _ := b.Store.ToFetch(ctx)
				for _, id := range ids {
					if err := fetcher.Fetch(ctx, id); err != nil && ctx.Err() == nil {
						e, _ := rest.AsError(err)
						_ = fetcher.GiveUp(ctx, id, e)
					}
				}
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Millisecond):
				}
			}
		}()
		t.Cleanup(func() { stop(); <-ended })
	}
	return b, n, work
}

func sampleOf(t *testing.T) (vnfdID string, csar []byte) {
	csar, err := servertest.SamplePackage()
	require.NoError(t, err)
	return "ee1f8f34-7c92-4023-840d-6f3b6885d92e", csar
}

func TestPackageOfTheNFVO_isFetchedOnce(t *testing.T) {
	b, n, work := orchestrated(t, time.Minute)
	work()
	vnfdID, csar := sampleOf(t)
	n.Keep(vnfdID, nfvotest.Package{Archive: csar})
	for range 2 {
		doc := b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID}).Want(http.StatusCreated)
		require.Equal(t, vnfdID, doc["vnfdId"])
		require.Equal(t, "Windlass", doc["vnfProvider"])
	}
	require.Equal(t, 1, n.Fetches())
	require.Equal(t, "IN_USE", b.Do("GET", "/vnfpkgm/v1/onboarded_vnf_packages/"+vnfdID,
		nil).Want(http.StatusOK)["usageState"])
}

func TestPackageOfTheNFVO_takesItsTime(t *testing.T) {
	b, n, work := orchestrated(t, 10*time.Millisecond)
	vnfdID, csar := sampleOf(t)
	n.Keep(vnfdID, nfvotest.Package{Archive: csar})
	for range 2 {
		a := b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID})
		require.Contains(t, a.Problem(http.StatusServiceUnavailable), "try again")
		require.NotEmpty(t, a.Header.Get("Retry-After"))
	}
	require.Len(t, b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil).List(), 1, "the second request waits for the same package")
	work()
	require.Eventually(t, func() bool {
		return b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": vnfdID}).Status == http.StatusCreated
	}, time.Minute, 20*time.Millisecond)
}

func TestPackageOfTheNFVO_thatCannotBeHad(t *testing.T) {
	b, n, work := orchestrated(t, time.Minute)
	work()
	vnfdID, csar := sampleOf(t)
	create := func(id string) servertest.Answer {
		return b.Do("POST", "/vnflcm/v1/vnf_instances", map[string]any{"vnfdId": id})
	}
	create("absent").Problem(http.StatusUnprocessableEntity)
	n.Keep("disabled", nfvotest.Package{Archive: csar, Disabled: true})
	create("disabled").Problem(http.StatusUnprocessableEntity)
	n.Keep("another", nfvotest.Package{Archive: csar})
	require.Contains(t, create("another").Problem(http.StatusUnprocessableEntity), "has the VNFD "+vnfdID)
	n.Keep("broken", nfvotest.Package{Archive: []byte("no archive")})
	create("broken").Problem(http.StatusUnprocessableEntity)
	require.Empty(t, b.Do("GET", "/vnfpkgm/v1/vnf_packages", nil).List(), "nothing is left of them")
	n.Away(-1)
	require.Contains(t, create(vnfdID).Problem(http.StatusServiceUnavailable), "Windlass could not ask the NFVO")
}
