package subscriptions_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// TestSubscription_takesVersionsThatAreNumbers accepts versions as JSON numbers, as in Tacker's requests.
func TestSubscription_takesVersionsThatAreNumbers(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = &servertest.Subscribers{} })
	request := func(list, software, vnfds string) string {
		providers := `{"vnfProductsFromProviders":[{"vnfProvider":"P","vnfProducts":[{"vnfProductName":"N","versions":[
			{"vnfSoftwareVersion":` + software + `,"vnfdVersions":` + vnfds + `}]}]}]}`
		if !strings.HasPrefix(list, "/vnfpkgm/") {
			providers = `{"vnfInstanceSubscriptionFilter":` + providers + `}`
		}
		return `{"callbackUri":"` + servertest.Callback + `","filter":` + providers + `}`
	}
	for _, list := range []string{"/vnflcm/v1/subscriptions", "/vnflcm/v2/subscriptions", "/vnfpkgm/v1/subscriptions"} {
		made := b.Do("POST", list, request(list, "1.0", `[1.0,"b",2,1.10]`))
		made.Want(http.StatusCreated)
		require.Contains(t, string(made.Body), `{"vnfSoftwareVersion":"1.0","vnfdVersions":["1.0","b","2","1.10"]}`)
		require.Contains(t, string(b.Do("GET", made.Path(), nil).Body), `"vnfdVersions":["1.0","b","2","1.10"]`,
			"as it is stored")
		same := b.Do("POST", list, request(list, `"1.0"`, `["1.0","b","2","1.10"]`))
		same.Want(http.StatusSeeOther)
		require.Equal(t, made.Path(), same.Path())

		for _, wrong := range []string{"true", "null", "{}", "[1]"} {
			a := b.Do("POST", list, request(list, wrong, `["1",`+wrong+`]`))
			a.Problem(http.StatusBadRequest)
			require.Len(t, a.Paths(), 2, wrong)
		}
	}
	subs, err := b.Store.SubscriptionPage(t.Context(), lcm.APILcm, 2, store.Page{})
	require.NoError(t, err)
	require.Len(t, subs, 1)
	event := lcm.VnfEvent{
		Type: lcm.NotifyCreation, Provider: "P", ProductName: "N", SoftwareVersion: "1.0", VnfdVersion: "1.10",
	}
	require.True(t, subs[0].Wants(event))
	event.VnfdVersion = "1.1"
	require.False(t, subs[0].Wants(event))
}

// TestSubscription_takesBothWaysToChooseInstances uses both attributes of a pair in a filter, as Tacker's requests do
// although SOL003 says that a filter should not. Then both must match.
func TestSubscription_takesBothWaysToChooseInstances(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = &servertest.Subscribers{} })
	filter := map[string]any{"vnfInstanceSubscriptionFilter": map[string]any{
		"vnfdIds": []any{"d"}, "vnfProductsFromProviders": []any{map[string]any{"vnfProvider": "p"}},
		"vnfInstanceIds": []any{"i"}, "vnfInstanceNames": []any{"n"},
	}}
	for version, list := range map[int]string{1: "/vnflcm/v1/subscriptions", 2: "/vnflcm/v2/subscriptions"} {
		b.Do("POST", list, servertest.SubscriptionTo(map[string]any{"filter": filter})).Want(http.StatusCreated)
		subs, err := b.Store.SubscriptionPage(t.Context(), lcm.APILcm, version, store.Page{})
		require.NoError(t, err)
		require.Len(t, subs, 1)
		event := lcm.VnfEvent{Type: lcm.NotifyCreation, VnfdID: "d", Provider: "p", VnfInstanceID: "i", VnfInstanceName: "n"}
		require.True(t, subs[0].Wants(event))
		for name, change := range map[string]func(*lcm.VnfEvent){
			"VNFD":     func(e *lcm.VnfEvent) { e.VnfdID = "another" },
			"provider": func(e *lcm.VnfEvent) { e.Provider = "another" },
			"id":       func(e *lcm.VnfEvent) { e.VnfInstanceID = "another" },
			"name":     func(e *lcm.VnfEvent) { e.VnfInstanceName = "another" },
		} {
			other := event
			change(&other)
			require.False(t, subs[0].Wants(other), name)
		}
	}
}
