package subscriptions_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

// TestSubscriptions_areFoundByTheNamesOfTackersV1 checks all names that Tacker's v1 takes without a path.
func TestSubscriptions_areFoundByTheNamesOfTackersV1(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = &servertest.Subscribers{} })
	filter := map[string]any{
		"notificationTypes": []any{"VnfLcmOperationOccurrenceNotification"}, "operationTypes": []any{"SCALE", "HEAL"},
		"operationStates": []any{"COMPLETED"},
		"vnfInstanceSubscriptionFilter": map[string]any{
			"vnfdIds": []any{"d"}, "vnfInstanceIds": []any{"i"}, "vnfInstanceNames": []any{"n"},
			"vnfProductsFromProviders": []any{map[string]any{"vnfProvider": "Company", "vnfProducts": []any{
				map[string]any{
					"vnfProductName": "Router",
					"versions":       []any{map[string]any{"vnfSoftwareVersion": "1.0", "vnfdVersions": []any{"2.0"}}},
				},
			}}},
		},
	}
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		b.Do("POST", root+"/subscriptions", servertest.SubscriptionTo(map[string]any{"filter": filter})).
			Want(http.StatusCreated)
	}
	for name, value := range map[string]string{
		"notificationTypes": "VnfLcmOperationOccurrenceNotification", "operationTypes": "HEAL", "operationStates": "COMPLETED",
		"vnfdIds": "d", "vnfInstanceIds": "i", "vnfInstanceNames": "n", "vnfProvider": "Company", "vnfProductName": "Router",
		"vnfSoftwareVersion": "1.0", "vnfdVersions": "2.0", "callbackUri": servertest.Callback,
	} {
		list := func(version, op, value string) servertest.Answer {
			return b.Do("GET", "/vnflcm/"+version+"/subscriptions?filter=("+op+","+name+","+value+")", nil)
		}
		require.Len(t, list("v1", "eq", value).List(), 1, name)
		require.Len(t, list("v1", "in", "x,"+value).List(), 1, name)
		require.Empty(t, list("v1", "eq", "x").List(), name)
		if name != "callbackUri" {
			list("v2", "eq", value).Problem(http.StatusBadRequest)
		}
	}
}

// TestSubscription_ofTackersClientMayBeThereTwice checks that Tacker's client, which cannot follow a 303, need not.
func TestSubscription_ofTackersClientMayBeThereTwice(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = &servertest.Subscribers{} })
	for _, path := range []string{"/vnflcm/v1/subscriptions", "/vnflcm/v2/subscriptions", "/vnfpkgm/v1/subscriptions"} {
		first := b.Do("POST", path, servertest.SubscriptionTo(nil))
		first.Want(http.StatusCreated)
		b.Do("POST", path, servertest.SubscriptionTo(nil)).Want(http.StatusSeeOther)
		second := b.Do("POST", path, servertest.SubscriptionTo(nil), "User-Agent: python-tackerclient")
		second.Want(http.StatusCreated)
		require.NotEqual(t, first.Path(), second.Path())
	}
}
