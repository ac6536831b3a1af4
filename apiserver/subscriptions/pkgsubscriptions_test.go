package subscriptions_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// waitingFor returns the events that must be delivered to a subscription, in order.
func waitingFor(b *servertest.Bench, path string) (events []lcm.VnfEvent) {
	b.Helper()
	id := lcm.SubscriptionID(path[len("/vnfpkgm/v1/subscriptions/"):])
	for {
		d, err := b.Store.NextDelivery(b.Context(), id)
		if lcm.Is(err, lcm.KindNotFound) {
			return events
		}
		require.NoError(b, err)
		events = append(events, d.Event)
		require.NoError(b, b.Store.Delivered(b.Context(), d.ID))
	}
}

func TestPackageSubscription_isMadeListedReadAndDeleted(t *testing.T) {
	subscribers := &servertest.Subscribers{}
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = subscribers })
	const root = "/vnfpkgm/v1/subscriptions"
	filter := map[string]any{
		"notificationTypes": []any{"VnfPackageChangeNotification"},
		"operationalState":  []any{"DISABLED"},
	}
	request := servertest.SubscriptionTo(map[string]any{"filter": filter, "authentication": map[string]any{
		"authType": []any{
			"BASIC",
		},
		"paramsBasic": map[string]any{"userName": "windlass", "password": servertest.Marker + "-basic"},
	}})
	a := b.Do("POST", root, request)
	doc := a.Want(http.StatusCreated)
	require.Equal(t, filter, doc["filter"])
	require.NotContains(t, doc, "authentication", "secrets are never echoed")
	require.Len(t, subscribers.Tested, 1)
	require.Equal(t, doc, b.Do("GET", a.Path(), nil).Want(http.StatusOK))
	same := b.Do("POST", root, request)
	same.Want(http.StatusSeeOther)
	require.Equal(t, a.Path(), same.Path())
	// In v2.4.1 the attribute is one type of notification, and not a list.
	b.Do("POST", root, servertest.SubscriptionTo(map[string]any{"filter": map[string]any{"notificationTypes": "VnfPackageOnboardingNotification"}})).
		Want(http.StatusCreated)
	selectorsHaveNoEffect(b, root, 2)
	require.Len(t, b.Do("GET", root+"?filter=(eq,filter/operationalState,DISABLED)", nil).List(), 1)

	// The lists of subscriptions to packages and to operations are separate.
	id := doc["id"].(string)
	b.Do("GET", "/vnflcm/v1/subscriptions/"+id, nil).Problem(http.StatusNotFound)
	b.Do("DELETE", "/vnflcm/v1/subscriptions/"+id, nil).Problem(http.StatusNotFound)
	require.Empty(t, b.Do("GET", "/vnflcm/v1/subscriptions", nil).List())
	other := b.Do("POST", "/vnflcm/v1/subscriptions", servertest.SubscriptionTo(nil))
	other.Want(http.StatusCreated)
	b.Do("GET", root+"/"+other.Path()[len("/vnflcm/v1/subscriptions/"):], nil).Problem(http.StatusNotFound)

	b.Do("DELETE", a.Path(), nil).Want(http.StatusNoContent)
	b.Do("GET", a.Path(), nil).Problem(http.StatusNotFound)
	require.Equal(t, []string{"$.callbackUri", "$.filter.notificationTypes[0]", "$.filter.usageState[0]"},
		b.Do("POST", root, map[string]any{"callbackUri": "http://metadata/", "filter": map[string]any{
			"notificationTypes": []any{"VnfLcmOperationOccurrenceNotification"}, "usageState": []any{"USED"},
		}}).Paths())
	require.Equal(
		t,
		[]string{"$.filter.vnfdIds"},
		b.Do("POST", root, servertest.SubscriptionTo(map[string]any{"filter": map[string]any{"vnfdIds": []any{"a"}}})).
			Paths(),
	)
}

func TestPackageSubscription_hearsOfPackagesAndOfNothingElse(t *testing.T) {
	b := servertest.New(t)
	subscribe := func(filter map[string]any) string {
		body := map[string]any{"callbackUri": servertest.Callback}
		if filter != nil {
			body["filter"] = filter
		}
		a := b.Do("POST", "/vnfpkgm/v1/subscriptions", body)
		a.Want(http.StatusCreated)
		return a.Path()
	}
	all := subscribe(nil)
	disabled := subscribe(map[string]any{
		"operationalState":         []any{"DISABLED"},
		"vnfProductsFromProviders": []any{map[string]any{"vnfProvider": "Windlass"}},
	})
	elsewhere := subscribe(map[string]any{"vnfdId": []any{"another"}})
	path, vnfdID := b.Onboard()
	b.Do("DELETE", b.Create("/vnflcm/v1", vnfdID), nil).Want(http.StatusNoContent)
	b.Do("PATCH", path, map[string]any{"userDefinedData": map[string]any{"a": "b"}}).Want(http.StatusOK)
	b.Do("PATCH", path, map[string]any{"operationalState": "DISABLED"}).Want(http.StatusOK)
	b.Do("DELETE", path, nil).Want(http.StatusNoContent)

	type told struct {
		kind          lcm.NotificationType
		change, state string
	}
	summary := func(path string) (out []told) {
		for _, e := range waitingFor(b, path) {
			require.Equal(t, lcm.VnfdID(vnfdID), e.VnfdID)
			out = append(out, told{e.Type, e.ChangeType, e.OperationalState})
		}
		return out
	}
	require.Equal(t, []told{
		{lcm.NotifyPkgOnboarding, "", "ENABLED"},
		{lcm.NotifyPkgChange, "OP_STATE_CHANGE", "DISABLED"},
		{lcm.NotifyPkgChange, "PKG_DELETE", "DISABLED"},
	}, summary(all))
	require.Len(t, summary(disabled), 2)
	require.Empty(t, summary(elsewhere))
}
