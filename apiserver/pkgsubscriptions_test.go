package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// waitingFor returns the events that must be delivered to a subscription, in order.
func (b *bench) waitingFor(path string) (events []lcm.VnfEvent) {
	b.Helper()
	id := lcm.SubscriptionID(path[len("/vnfpkgm/v1/subscriptions/"):])
	for {
		d, err := b.store.NextDelivery(b.Context(), id)
		if lcm.Is(err, lcm.KindNotFound) {
			return events
		}
		require.NoError(b, err)
		events = append(events, d.Event)
		require.NoError(b, b.store.Delivered(b.Context(), d.ID))
	}
}

func TestPackageSubscription_isMadeListedReadAndDeleted(t *testing.T) {
	subscribers := &obligingSubscribers{}
	b := newBench(t, func(o *Options) { o.Subscribers = subscribers })
	const root = "/vnfpkgm/v1/subscriptions"
	filter := map[string]any{
		"notificationTypes": []any{"VnfPackageChangeNotification"},
		"operationalState":  []any{"DISABLED"},
	}
	request := subscribe(map[string]any{"filter": filter, "authentication": map[string]any{
		"authType": []any{"BASIC"}, "paramsBasic": map[string]any{"userName": "windlass", "password": marker + "-basic"},
	}})
	a := b.do("POST", root, request)
	doc := a.want(http.StatusCreated)
	require.Equal(t, filter, doc["filter"])
	require.NotContains(t, doc, "authentication", "secrets are never echoed")
	require.Len(t, subscribers.tested, 1)
	require.Equal(t, doc, b.do("GET", a.path(), nil).want(http.StatusOK))
	same := b.do("POST", root, request)
	same.want(http.StatusSeeOther)
	require.Equal(t, a.path(), same.path())
	// In v2.4.1 the attribute is one type of notification, and not a list.
	b.do("POST", root, subscribe(map[string]any{"filter": map[string]any{"notificationTypes": "VnfPackageOnboardingNotification"}})).want(http.StatusCreated)
	selectorsHaveNoEffect(b, root, 2)
	require.Len(t, b.do("GET", root+"?filter=(eq,filter/operationalState,DISABLED)", nil).list(), 1)

	// The lists of subscriptions to packages and to operations are separate.
	id := doc["id"].(string)
	b.do("GET", "/vnflcm/v1/subscriptions/"+id, nil).problem(http.StatusNotFound)
	b.do("DELETE", "/vnflcm/v1/subscriptions/"+id, nil).problem(http.StatusNotFound)
	require.Empty(t, b.do("GET", "/vnflcm/v1/subscriptions", nil).list())
	other := b.do("POST", "/vnflcm/v1/subscriptions", subscribe(nil))
	other.want(http.StatusCreated)
	b.do("GET", root+"/"+other.path()[len("/vnflcm/v1/subscriptions/"):], nil).problem(http.StatusNotFound)

	b.do("DELETE", a.path(), nil).want(http.StatusNoContent)
	b.do("GET", a.path(), nil).problem(http.StatusNotFound)
	require.Equal(t, []string{"$.callbackUri", "$.filter.notificationTypes[0]", "$.filter.usageState[0]"},
		b.do("POST", root, map[string]any{"callbackUri": "http://metadata/", "filter": map[string]any{
			"notificationTypes": []any{"VnfLcmOperationOccurrenceNotification"}, "usageState": []any{"USED"},
		}}).paths())
	require.Equal(t, []string{"$.filter.vnfdIds"},
		b.do("POST", root, subscribe(map[string]any{"filter": map[string]any{"vnfdIds": []any{"a"}}})).paths())
}

func TestPackageSubscription_hearsOfPackagesAndOfNothingElse(t *testing.T) {
	b := newBench(t)
	subscribe := func(filter map[string]any) string {
		body := map[string]any{"callbackUri": callback}
		if filter != nil {
			body["filter"] = filter
		}
		a := b.do("POST", "/vnfpkgm/v1/subscriptions", body)
		a.want(http.StatusCreated)
		return a.path()
	}
	all := subscribe(nil)
	disabled := subscribe(map[string]any{
		"operationalState":         []any{"DISABLED"},
		"vnfProductsFromProviders": []any{map[string]any{"vnfProvider": "Windlass"}},
	})
	elsewhere := subscribe(map[string]any{"vnfdId": []any{"another"}})
	path, vnfdID := b.onboard()
	b.do("DELETE", b.create("/vnflcm/v1", vnfdID), nil).want(http.StatusNoContent)
	b.do("PATCH", path, map[string]any{"userDefinedData": map[string]any{"a": "b"}}).want(http.StatusOK)
	b.do("PATCH", path, map[string]any{"operationalState": "DISABLED"}).want(http.StatusOK)
	b.do("DELETE", path, nil).want(http.StatusNoContent)

	type told struct {
		kind          lcm.NotificationType
		change, state string
	}
	summary := func(path string) (out []told) {
		for _, e := range b.waitingFor(path) {
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
