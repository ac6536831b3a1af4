package subscriptions_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

func TestSubscription_isMadeListedReadAndDeleted(t *testing.T) {
	subscribers := &servertest.Subscribers{}
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = subscribers })
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		filter := map[string]any{
			"notificationTypes": []any{"VnfLcmOperationOccurrenceNotification"}, "operationStates": []any{"COMPLETED"},
			"vnfInstanceSubscriptionFilter": map[string]any{"vnfInstanceNames": []any{"edge-1"}},
		}
		authentication := func(password string, types ...any) map[string]any {
			return map[string]any{
				"authType":    types,
				"paramsBasic": map[string]any{"userName": "windlass", "password": password},
				"paramsOauth2ClientCredentials": map[string]any{
					"clientId":       "windlass",
					"clientPassword": servertest.Marker + "-client",
					"tokenEndpoint":  "https://nfvo.example/token",
				},
			}
		}
		first := authentication(servertest.Marker+"-basic", "BASIC", "OAUTH2_CLIENT_CREDENTIALS")
		a := b.Do(
			"POST",
			root+"/subscriptions",
			servertest.SubscriptionTo(map[string]any{"filter": filter, "authentication": first}),
		)
		doc := a.Want(http.StatusCreated)
		require.Equal(t, filter, doc["filter"])
		require.NotContains(t, doc, "authentication", "secrets are never echoed")
		require.Equal(t, root == "/vnflcm/v2", doc["verbosity"] == "FULL")
		require.Equal(t, doc, b.Do("GET", a.Path(), nil).Want(http.StatusOK))

		sub, err := b.Store.Subscription(t.Context(), lcm.SubscriptionID(doc["id"].(string)))
		require.NoError(t, err)
		require.NotContains(t, string(sub.Authentication), servertest.Marker, "they are sealed")
		clear, err := secrets.OpenDocument(t.Context(), b.Vault, sub.Authentication)
		require.NoError(t, err)
		require.Contains(t, string(clear), servertest.Marker+"-client")

		for _, auth := range []map[string]any{first, authentication(servertest.Marker+"-basic", "OAUTH2_CLIENT_CREDENTIALS", "BASIC")} {
			same := b.Do(
				"POST",
				root+"/subscriptions",
				servertest.SubscriptionTo(map[string]any{"filter": filter, "authentication": auth}),
			)
			same.Want(http.StatusSeeOther)
			require.Equal(t, a.Path(), same.Path())
			require.Empty(t, same.Body)
		}
		other := b.Do("POST", root+"/subscriptions", servertest.SubscriptionTo(nil))
		other.Want(http.StatusCreated)

		require.Len(t, b.Do("GET", root+"/subscriptions", nil).List(), 2, "each version has its own")
		require.Len(t, b.Do("GET", root+"/subscriptions?filter=(eq,filter/operationStates,COMPLETED)", nil).List(), 1)
		require.Len(
			t,
			b.Do("GET", root+"/subscriptions?filter=(neq,callbackUri,x);(eq,filter/vnfInstanceSubscriptionFilter/vnfInstanceNames,edge-1)", nil).
				List(),
			1,
		)
		require.Empty(t, b.Do("GET", root+"/subscriptions?filter=(eq,callbackUri,x)", nil).List())
		selectorsHaveNoEffect(b, root+"/subscriptions", 2)

		b.Do("DELETE", a.Path(), nil).Want(http.StatusNoContent)
		b.Do("DELETE", a.Path(), nil).Problem(http.StatusNotFound)
		b.Do("GET", a.Path(), nil).Problem(http.StatusNotFound)
		_, err = b.Vault.Get(t.Context(), lcm.SecretRef("subscription/"+sub.ID+"/paramsBasic.password"))
		require.True(t, lcm.Is(err, lcm.KindNotFound), "%v", err)
		b.Do("GET", strings.Replace(other.Path(), "/v1/", "/v9/", 1), nil)
		swapped := strings.NewReplacer("/v1/", "/v2/", "/v2/", "/v1/").Replace(other.Path())
		b.Do("GET", swapped, nil).Problem(http.StatusNotFound)
	}
	require.NotEmpty(t, subscribers.Tested)
}

// selectorsHaveNoEffect requires that a list of n subscriptions is the same with every selector. The standard has no
// selectors there, but ETSI's conformance tests send them.
func selectorsHaveNoEffect(b *servertest.Bench, list string, n int) {
	b.Helper()
	all := b.Do("GET", list, nil).List()
	require.Len(b, all, n)
	for _, query := range []string{
		"all_fields", "fields=id", "fields=filter/operationTypes", "fields=callbackUri&exclude_default",
		"exclude_fields=callbackUri", "exclude-fields=filter",
		"exclude_default", "all_fields&exclude_default", "fields=no_such_attribute", "fields=",
	} {
		require.Equal(b, all, b.Do("GET", list+"?"+query, nil).List(), query)
	}
	require.Empty(b, b.Do("GET", list+"?fields=id&filter=(eq,callbackUri,x)", nil).List(), "the filter has its effect")
	b.Do("GET", list+"?exclude_defaults", nil).Problem(http.StatusBadRequest)
}

func TestSubscription_withAnEmptyFilterIsThatWithoutOne(t *testing.T) {
	b := servertest.New(t)
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2", "/vnfpkgm/v1"} {
		made := b.Do("POST", root+"/subscriptions", servertest.SubscriptionTo(nil))
		require.NotContains(t, made.Want(http.StatusCreated), "filter")
		same := b.Do("POST", root+"/subscriptions", servertest.SubscriptionTo(map[string]any{"filter": map[string]any{}}))
		require.Equal(t, http.StatusSeeOther, same.Status)
		require.Equal(t, made.Path(), same.Path())
	}
}

func TestSubscription_refusesWhatTheStandardDoes(t *testing.T) {
	subscribers := &servertest.Subscribers{}
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = subscribers })
	filter := func(f map[string]any) map[string]any { return servertest.SubscriptionTo(map[string]any{"filter": f}) }
	instances := func(f map[string]any) map[string]any {
		return filter(map[string]any{"vnfInstanceSubscriptionFilter": f})
	}
	auth := func(f map[string]any) map[string]any {
		return servertest.SubscriptionTo(map[string]any{"authentication": f})
	}
	for name, c := range map[string]struct {
		request map[string]any
		paths   []string
	}{
		"no callback":  {map[string]any{}, []string{"$.callbackUri"}},
		"a denied one": {map[string]any{"callbackUri": "http://metadata/"}, []string{"$.callbackUri"}},
		"unknown types": {filter(map[string]any{
			"notificationTypes": []any{"X"}, "operationTypes": []any{"Y"}, "operationStates": []any{"Z"},
		}), []string{
			"$.filter.notificationTypes[0]", "$.filter.operationTypes[0]",
			"$.filter.operationStates[0]", "$.filter.operationTypes", "$.filter.operationStates",
		}},
		"not of v1": {
			filter(map[string]any{"operationTypes": []any{"CREATE_SNAPSHOT"}}),
			[]string{"$.filter.operationTypes[0]"},
		},
		"no operations": {filter(map[string]any{
			"notificationTypes": []any{"VnfIdentifierCreationNotification"},
			"operationStates":   []any{"FAILED"},
		}), []string{"$.filter.operationStates"}},
		"no provider": {
			instances(map[string]any{"vnfProductsFromProviders": []any{map[string]any{}}}),
			[]string{"$.filter.vnfInstanceSubscriptionFilter.vnfProductsFromProviders[0].vnfProvider"},
		},
		"no type":      {auth(map[string]any{"authType": []any{}}), []string{"$.authentication.authType"}},
		"unknown type": {auth(map[string]any{"authType": []any{"DIGEST"}}), []string{"$.authentication.authType[0]"}},
		"no password": {
			auth(map[string]any{"authType": []any{"BASIC"}, "paramsBasic": map[string]any{"userName": "a"}}),
			[]string{"$.authentication.paramsBasic"},
		},
		"a colon": {
			auth(map[string]any{"authType": []any{"BASIC"}, "paramsBasic": map[string]any{"userName": "a:b", "password": servertest.Marker}}),
			[]string{"$.authentication.paramsBasic.userName"},
		},
		"unknown members": {
			map[string]any{"callbackUri": servertest.Callback, "more": 1, "filter": map[string]any{
				"foo": 1, "vnfInstanceSubscriptionFilter": map[string]any{"vnfcIds": []any{"a"}},
			}},
			[]string{"$.filter.foo", "$.filter.vnfInstanceSubscriptionFilter.vnfcIds"},
		},
		"no client": {
			auth(map[string]any{"authType": []any{"OAUTH2_CLIENT_CREDENTIALS"}}),
			[]string{"$.authentication.paramsOauth2ClientCredentials"},
		},
		"denied token": {auth(map[string]any{
			"authType": []any{"OAUTH2_CLIENT_CREDENTIALS"},
			"paramsOauth2ClientCredentials": map[string]any{
				"clientId": "a", "clientPassword": servertest.Marker, "tokenEndpoint": "http://metadata/",
			},
		}), []string{"$.authentication.paramsOauth2ClientCredentials.tokenEndpoint"}},
	} {
		a := b.Do("POST", "/vnflcm/v1/subscriptions", c.request)
		a.Problem(http.StatusBadRequest)
		require.ElementsMatch(t, c.paths, a.Paths(), name)
	}
	require.Empty(t, subscribers.Tested)
	subscribers.Refuse = lcm.Errorf(lcm.KindUnavailable, "The subscriber answers 404 to GET, not 204.")
	require.Contains(
		t,
		b.Do("POST", "/vnflcm/v1/subscriptions", servertest.SubscriptionTo(nil)).Problem(http.StatusUnprocessableEntity),
		"answers 404",
	)
	require.Empty(t, b.Do("GET", "/vnflcm/v1/subscriptions", nil).List())
}

// TestSubscription_withOtherCredentialsIsAnother checks that a request with other credentials, or with none, creates
// another subscription. Otherwise the new credentials would be lost. A repeated request finds the subscription with the
// same credentials.
func TestSubscription_withOtherCredentialsIsAnother(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = &servertest.Subscribers{} })
	for _, root := range []string{"/vnflcm/v2", "/vnfpkgm/v1"} {
		basic := func(password string) map[string]any {
			return servertest.SubscriptionTo(map[string]any{"authentication": map[string]any{
				"authType": []any{"BASIC"}, "paramsBasic": map[string]any{"userName": "windlass", "password": password},
			}})
		}
		requests := []map[string]any{
			basic(servertest.Marker + "-a"), basic(servertest.Marker + "-b"), servertest.SubscriptionTo(nil),
			servertest.SubscriptionTo(map[string]any{"authentication": map[string]any{"authType": []any{"TLS_CERT"}}}),
		}
		var made []string
		for _, request := range requests {
			a := b.Do("POST", root+"/subscriptions", request)
			a.Want(http.StatusCreated)
			made = append(made, a.Path())
		}
		for i, request := range requests {
			a := b.Do("POST", root+"/subscriptions", request)
			a.Want(http.StatusSeeOther)
			require.Equal(t, made[i], a.Path())
		}
		require.Len(t, b.Do("GET", root+"/subscriptions", nil).List(), len(requests))
		for i, password := range []string{servertest.Marker + "-a", servertest.Marker + "-b"} {
			sub, err := b.Store.Subscription(t.Context(), lcm.SubscriptionID(made[i][strings.LastIndexByte(made[i], '/')+1:]))
			require.NoError(t, err)
			clear, err := secrets.OpenDocument(t.Context(), b.Vault, sub.Authentication)
			require.NoError(t, err)
			require.Contains(t, string(clear), password)
		}
		b.Do("DELETE", made[0], nil).Want(http.StatusNoContent)
		b.Do("POST", root+"/subscriptions", requests[0]).Want(http.StatusCreated)
	}
}

func TestSubscription_mayBeThereTwice(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) {
		o.Notifications.Duplicates, o.Notifications.TestCallback = true, false
		o.Subscribers = &servertest.Subscribers{Refuse: lcm.Errorf(lcm.KindUnavailable, "nobody")}
	})
	b.Do("POST", "/vnflcm/v2/subscriptions", servertest.SubscriptionTo(map[string]any{"verbosity": "SHORT"})).
		Want(http.StatusCreated)
	b.Do("POST", "/vnflcm/v2/subscriptions", servertest.SubscriptionTo(map[string]any{"verbosity": "SHORT"})).
		Want(http.StatusCreated)
	require.Len(t, b.Do("GET", "/vnflcm/v2/subscriptions?filter=(eq,verbosity,SHORT)", nil).List(), 2)
}

func TestNotifications_areWrittenWithTheChange(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Notifications.TestCallback = false })
	sub := func(filter map[string]any) lcm.SubscriptionID {
		return lcm.SubscriptionID(b.Do("POST", "/vnflcm/v1/subscriptions",
			servertest.SubscriptionTo(map[string]any{"filter": filter})).Want(http.StatusCreated)["id"].(string))
	}
	all := sub(map[string]any{})
	ends := sub(map[string]any{
		"operationStates":   []any{"ROLLED_BACK", "COMPLETED"},
		"notificationTypes": []any{"VnfLcmOperationOccurrenceNotification"},
	})
	others := sub(map[string]any{"vnfInstanceSubscriptionFilter": map[string]any{"vnfInstanceNames": []any{"another"}}})
	instance, request := b.Ready("/vnflcm/v1")
	op := b.Do("POST", instance+"/instantiate", request)
	op.Want(http.StatusAccepted)
	b.Enter(op.Path(), lcm.Processing)
	b.Enter(op.Path(), lcm.Processing, func(r *lcm.OperationRecord) { r.Step = "another step" })
	b.Enter(op.Path(), lcm.FailedTemp,
		func(r *lcm.OperationRecord) { r.Error = lcm.Errorf(lcm.KindBroken, "kubeadm's preflight failed") })
	b.Enter(op.Path(), lcm.RollingBack)
	b.Enter(op.Path(), lcm.RolledBack,
		func(r *lcm.OperationRecord) { r.Error = lcm.Errorf(lcm.KindBroken, "kubeadm's preflight failed") })
	b.Do("DELETE", instance, nil).Want(http.StatusNoContent)

	events := b.Outbox(all)
	var told []string
	ids := map[string]bool{}
	for _, e := range events {
		told = append(told, strings.TrimSpace(string(e.Type)+" "+string(e.State)))
		ids[e.ID] = true
		require.Equal(t, "edge-1", e.VnfInstanceName)
		require.WithinDuration(t, time.Now(), e.At, time.Hour)
	}
	const operation = "VnfLcmOperationOccurrenceNotification "
	require.Equal(t, []string{
		"VnfIdentifierCreationNotification", operation + "STARTING", operation + "PROCESSING", operation + "FAILED_TEMP",
		operation + "ROLLING_BACK", operation + "ROLLED_BACK", "VnfIdentifierDeletionNotification",
	}, told)
	require.Len(t, ids, len(events), "every event has an id of its own")
	require.Equal(t, "kubeadm's preflight failed", events[3].Error.Detail)
	require.Nil(t, events[4].Error, "what starts has no error")
	end := b.Outbox(ends)
	require.Len(t, end, 1)
	require.Equal(t, events[5].ID, end[0].ID, "the id is the same for all subscribers")
	require.Empty(t, b.Outbox(others))
}

func TestSubscription_byCertificateNeedsOne(t *testing.T) {
	subscribers := &servertest.Subscribers{Bare: true}
	b := servertest.New(t, func(o *apiserver.Options) { o.Subscribers = subscribers })
	by := func(types ...string) servertest.Answer {
		return b.Do(
			"POST",
			"/vnflcm/v1/subscriptions",
			servertest.SubscriptionTo(
				map[string]any{"callbackUri": servertest.Callback + "/" + types[len(types)-1], "authentication": map[string]any{
					"authType": types, "paramsBasic": map[string]any{"userName": "u", "password": "p"},
				}},
			),
		)
	}
	require.Contains(t, by("TLS_CERT").Problem(http.StatusBadRequest), "notifications.certFile")
	by("TLS_CERT", "BASIC").Want(http.StatusCreated)
	subscribers.Bare = false
	by("TLS_CERT").Want(http.StatusCreated)
}
