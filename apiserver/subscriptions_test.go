package apiserver

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// obligingSubscribers accept every test of a callback, unless the test sets refuse.
type obligingSubscribers struct {
	refuse error
	bare   bool // without a certificate
	tested []lcm.Subscription
}

func (o *obligingSubscribers) Check(uri string) error {
	if strings.Contains(uri, "metadata") {
		return lcm.Errorf(lcm.KindInvalid, "must not lead there")
	}
	return nil
}

func (o *obligingSubscribers) HasCertificate() bool { return !o.bare }

func (o *obligingSubscribers) TestCallback(_ context.Context, s lcm.Subscription, _ []byte) error {
	o.tested = append(o.tested, s)
	return o.refuse
}

const callback = "https://nfvo.example/notify"

func subscribe(more map[string]any) map[string]any {
	out := map[string]any{"callbackUri": callback}
	maps.Copy(out, more)
	return out
}

func TestSubscription_isMadeListedReadAndDeleted(t *testing.T) {
	subscribers := &obligingSubscribers{}
	b := newBench(t, func(o *Options) { o.Subscribers = subscribers })
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
					"clientId": "windlass", "clientPassword": marker + "-client", "tokenEndpoint": "https://nfvo.example/token",
				},
			}
		}
		first := authentication(marker+"-basic", "BASIC", "OAUTH2_CLIENT_CREDENTIALS")
		a := b.do("POST", root+"/subscriptions", subscribe(map[string]any{"filter": filter, "authentication": first}))
		doc := a.want(http.StatusCreated)
		require.Equal(t, filter, doc["filter"])
		require.NotContains(t, doc, "authentication", "secrets are never echoed")
		require.Equal(t, root == "/vnflcm/v2", doc["verbosity"] == "FULL")
		require.Equal(t, doc, b.do("GET", a.path(), nil).want(http.StatusOK))

		sub, err := b.store.Subscription(t.Context(), lcm.SubscriptionID(doc["id"].(string)))
		require.NoError(t, err)
		require.NotContains(t, string(sub.Authentication), marker, "they are sealed")
		clear, err := secrets.OpenDocument(t.Context(), b.vault, sub.Authentication)
		require.NoError(t, err)
		require.Contains(t, string(clear), marker+"-client")

		for _, auth := range []map[string]any{first, authentication(marker+"-basic", "OAUTH2_CLIENT_CREDENTIALS", "BASIC")} {
			same := b.do("POST", root+"/subscriptions", subscribe(map[string]any{"filter": filter, "authentication": auth}))
			same.want(http.StatusSeeOther)
			require.Equal(t, a.path(), same.path())
			require.Empty(t, same.Body)
		}
		other := b.do("POST", root+"/subscriptions", subscribe(nil))
		other.want(http.StatusCreated)

		require.Len(t, b.do("GET", root+"/subscriptions", nil).list(), 2, "each version has its own")
		require.Len(t, b.do("GET", root+"/subscriptions?filter=(eq,filter/operationStates,COMPLETED)", nil).list(), 1)
		require.Len(t, b.do("GET", root+"/subscriptions?filter=(neq,callbackUri,x);(eq,filter/vnfInstanceSubscriptionFilter/vnfInstanceNames,edge-1)", nil).list(), 1)
		require.Empty(t, b.do("GET", root+"/subscriptions?filter=(eq,callbackUri,x)", nil).list())
		selectorsHaveNoEffect(b, root+"/subscriptions", 2)

		b.do("DELETE", a.path(), nil).want(http.StatusNoContent)
		b.do("DELETE", a.path(), nil).problem(http.StatusNotFound)
		b.do("GET", a.path(), nil).problem(http.StatusNotFound)
		_, err = b.vault.Get(t.Context(), lcm.SecretRef("subscription/"+sub.ID+"/paramsBasic.password"))
		require.True(t, lcm.Is(err, lcm.KindNotFound), "%v", err)
		b.do("GET", strings.Replace(other.path(), "/v1/", "/v9/", 1), nil)
		swapped := strings.NewReplacer("/v1/", "/v2/", "/v2/", "/v1/").Replace(other.path())
		b.do("GET", swapped, nil).problem(http.StatusNotFound)
	}
	require.NotEmpty(t, subscribers.tested)
}

// selectorsHaveNoEffect requires that a list of n subscriptions is the same with every selector. The standard has no
// selectors there, but ETSI's conformance tests send them.
func selectorsHaveNoEffect(b *bench, list string, n int) {
	b.Helper()
	all := b.do("GET", list, nil).list()
	require.Len(b, all, n)
	for _, query := range []string{
		"all_fields", "fields=id", "fields=filter/operationTypes", "fields=callbackUri&exclude_default",
		"exclude_fields=callbackUri", "exclude-fields=filter",
		"exclude_default", "all_fields&exclude_default", "fields=no_such_attribute", "fields=",
	} {
		require.Equal(b, all, b.do("GET", list+"?"+query, nil).list(), query)
	}
	require.Empty(b, b.do("GET", list+"?fields=id&filter=(eq,callbackUri,x)", nil).list(), "the filter has its effect")
	b.do("GET", list+"?exclude_defaults", nil).problem(http.StatusBadRequest)
}

func TestSubscription_withAnEmptyFilterIsThatWithoutOne(t *testing.T) {
	b := newBench(t)
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2", "/vnfpkgm/v1"} {
		made := b.do("POST", root+"/subscriptions", subscribe(nil))
		require.NotContains(t, made.want(http.StatusCreated), "filter")
		same := b.do("POST", root+"/subscriptions", subscribe(map[string]any{"filter": map[string]any{}}))
		require.Equal(t, http.StatusSeeOther, same.Status)
		require.Equal(t, made.path(), same.path())
	}
}

func TestSubscription_refusesWhatTheStandardDoes(t *testing.T) {
	subscribers := &obligingSubscribers{}
	b := newBench(t, func(o *Options) { o.Subscribers = subscribers })
	filter := func(f map[string]any) map[string]any { return subscribe(map[string]any{"filter": f}) }
	instances := func(f map[string]any) map[string]any {
		return filter(map[string]any{"vnfInstanceSubscriptionFilter": f})
	}
	auth := func(f map[string]any) map[string]any { return subscribe(map[string]any{"authentication": f}) }
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
			auth(map[string]any{"authType": []any{"BASIC"}, "paramsBasic": map[string]any{"userName": "a:b", "password": marker}}),
			[]string{"$.authentication.paramsBasic.userName"},
		},
		"unknown members": {
			map[string]any{"callbackUri": callback, "more": 1, "filter": map[string]any{
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
				"clientId": "a", "clientPassword": marker, "tokenEndpoint": "http://metadata/",
			},
		}), []string{"$.authentication.paramsOauth2ClientCredentials.tokenEndpoint"}},
	} {
		a := b.do("POST", "/vnflcm/v1/subscriptions", c.request)
		a.problem(http.StatusBadRequest)
		require.ElementsMatch(t, c.paths, a.paths(), name)
	}
	require.Empty(t, subscribers.tested)
	subscribers.refuse = lcm.Errorf(lcm.KindUnavailable, "The subscriber answers 404 to GET, not 204.")
	require.Contains(t, b.do("POST", "/vnflcm/v1/subscriptions", subscribe(nil)).problem(http.StatusUnprocessableEntity),
		"answers 404")
	require.Empty(t, b.do("GET", "/vnflcm/v1/subscriptions", nil).list())
}

// TestSubscription_withOtherCredentialsIsAnother checks that a request with other credentials, or with none, creates
// another subscription. Otherwise the new credentials would be lost. A repeated request finds the subscription with the
// same credentials.
func TestSubscription_withOtherCredentialsIsAnother(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Subscribers = &obligingSubscribers{} })
	for _, root := range []string{"/vnflcm/v2", "/vnfpkgm/v1"} {
		basic := func(password string) map[string]any {
			return subscribe(map[string]any{"authentication": map[string]any{
				"authType": []any{"BASIC"}, "paramsBasic": map[string]any{"userName": "windlass", "password": password},
			}})
		}
		requests := []map[string]any{
			basic(marker + "-a"), basic(marker + "-b"), subscribe(nil),
			subscribe(map[string]any{"authentication": map[string]any{"authType": []any{"TLS_CERT"}}}),
		}
		var made []string
		for _, request := range requests {
			a := b.do("POST", root+"/subscriptions", request)
			a.want(http.StatusCreated)
			made = append(made, a.path())
		}
		for i, request := range requests {
			a := b.do("POST", root+"/subscriptions", request)
			a.want(http.StatusSeeOther)
			require.Equal(t, made[i], a.path())
		}
		require.Len(t, b.do("GET", root+"/subscriptions", nil).list(), len(requests))
		for i, password := range []string{marker + "-a", marker + "-b"} {
			sub, err := b.store.Subscription(t.Context(), lcm.SubscriptionID(made[i][strings.LastIndexByte(made[i], '/')+1:]))
			require.NoError(t, err)
			clear, err := secrets.OpenDocument(t.Context(), b.vault, sub.Authentication)
			require.NoError(t, err)
			require.Contains(t, string(clear), password)
		}
		b.do("DELETE", made[0], nil).want(http.StatusNoContent)
		b.do("POST", root+"/subscriptions", requests[0]).want(http.StatusCreated)
	}
}

func TestSubscription_mayBeThereTwice(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Notifications.Duplicates, o.Notifications.TestCallback = true, false
		o.Subscribers = &obligingSubscribers{refuse: lcm.Errorf(lcm.KindUnavailable, "nobody")}
	})
	b.do("POST", "/vnflcm/v2/subscriptions", subscribe(map[string]any{"verbosity": "SHORT"})).want(http.StatusCreated)
	b.do("POST", "/vnflcm/v2/subscriptions", subscribe(map[string]any{"verbosity": "SHORT"})).want(http.StatusCreated)
	require.Len(t, b.do("GET", "/vnflcm/v2/subscriptions?filter=(eq,verbosity,SHORT)", nil).list(), 2)
}

// outbox reads the waiting notifications of a subscriber, and removes them.
func (b *bench) outbox(id lcm.SubscriptionID) (events []lcm.VnfEvent) {
	b.Helper()
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

// TestSubscriptions_areFoundByTheNamesOfTackersV1 checks all names that Tacker's v1 takes without a path.
func TestSubscriptions_areFoundByTheNamesOfTackersV1(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Subscribers = &obligingSubscribers{} })
	filter := map[string]any{
		"notificationTypes": []any{"VnfLcmOperationOccurrenceNotification"}, "operationTypes": []any{"SCALE", "HEAL"},
		"operationStates": []any{"COMPLETED"},
		"vnfInstanceSubscriptionFilter": map[string]any{
			"vnfdIds": []any{"d"}, "vnfInstanceIds": []any{"i"}, "vnfInstanceNames": []any{"n"},
			"vnfProductsFromProviders": []any{map[string]any{"vnfProvider": "Company", "vnfProducts": []any{map[string]any{
				"vnfProductName": "Router", "versions": []any{map[string]any{"vnfSoftwareVersion": "1.0", "vnfdVersions": []any{"2.0"}}},
			}}}},
		},
	}
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		b.do("POST", root+"/subscriptions", subscribe(map[string]any{"filter": filter})).want(http.StatusCreated)
	}
	for name, value := range map[string]string{
		"notificationTypes": "VnfLcmOperationOccurrenceNotification", "operationTypes": "HEAL", "operationStates": "COMPLETED",
		"vnfdIds": "d", "vnfInstanceIds": "i", "vnfInstanceNames": "n", "vnfProvider": "Company", "vnfProductName": "Router",
		"vnfSoftwareVersion": "1.0", "vnfdVersions": "2.0", "callbackUri": callback,
	} {
		list := func(version, op, value string) answer {
			return b.do("GET", "/vnflcm/"+version+"/subscriptions?filter=("+op+","+name+","+value+")", nil)
		}
		require.Len(t, list("v1", "eq", value).list(), 1, name)
		require.Len(t, list("v1", "in", "x,"+value).list(), 1, name)
		require.Empty(t, list("v1", "eq", "x").list(), name)
		if name != "callbackUri" {
			list("v2", "eq", value).problem(http.StatusBadRequest)
		}
	}
}

// TestSubscription_ofTackersClientMayBeThereTwice checks that Tacker's client, which cannot follow a 303, need not.
func TestSubscription_ofTackersClientMayBeThereTwice(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Subscribers = &obligingSubscribers{} })
	for _, path := range []string{"/vnflcm/v1/subscriptions", "/vnflcm/v2/subscriptions", "/vnfpkgm/v1/subscriptions"} {
		first := b.do("POST", path, subscribe(nil))
		first.want(http.StatusCreated)
		b.do("POST", path, subscribe(nil)).want(http.StatusSeeOther)
		second := b.do("POST", path, subscribe(nil), "User-Agent: python-tackerclient")
		second.want(http.StatusCreated)
		require.NotEqual(t, first.path(), second.path())
	}
}

func TestNotifications_areWrittenWithTheChange(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Notifications.TestCallback = false })
	sub := func(filter map[string]any) lcm.SubscriptionID {
		return lcm.SubscriptionID(b.do("POST", "/vnflcm/v1/subscriptions",
			subscribe(map[string]any{"filter": filter})).want(http.StatusCreated)["id"].(string))
	}
	all := sub(map[string]any{})
	ends := sub(map[string]any{
		"operationStates":   []any{"ROLLED_BACK", "COMPLETED"},
		"notificationTypes": []any{"VnfLcmOperationOccurrenceNotification"},
	})
	others := sub(map[string]any{"vnfInstanceSubscriptionFilter": map[string]any{"vnfInstanceNames": []any{"another"}}})
	instance, request := b.ready("/vnflcm/v1")
	op := b.do("POST", instance+"/instantiate", request)
	op.want(http.StatusAccepted)
	b.enter(op.path(), lcm.Processing)
	b.enter(op.path(), lcm.Processing, func(r *lcm.OperationRecord) { r.Step = "another step" })
	b.enter(op.path(), lcm.FailedTemp,
		func(r *lcm.OperationRecord) { r.Error = lcm.Errorf(lcm.KindBroken, "kubeadm's preflight failed") })
	b.enter(op.path(), lcm.RollingBack)
	b.enter(op.path(), lcm.RolledBack,
		func(r *lcm.OperationRecord) { r.Error = lcm.Errorf(lcm.KindBroken, "kubeadm's preflight failed") })
	b.do("DELETE", instance, nil).want(http.StatusNoContent)

	events := b.outbox(all)
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
	end := b.outbox(ends)
	require.Len(t, end, 1)
	require.Equal(t, events[5].ID, end[0].ID, "the id is the same for all subscribers")
	require.Empty(t, b.outbox(others))
}

func TestDeadLetters_areListedAndDeliveredAgain(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Notifications.TestCallback = false })
	id := lcm.SubscriptionID(b.do("POST", "/vnflcm/v1/subscriptions",
		subscribe(nil)).want(http.StatusCreated)["id"].(string))
	_, vnfdID := b.onboard()
	instance := b.create("/vnflcm/v1", vnfdID)
	ctx := t.Context()
	d, err := b.store.NextDelivery(ctx, id)
	require.NoError(t, err)
	require.NoError(t, b.store.Bury(ctx, d.ID, 0), "not tried yet")
	require.Empty(t, b.do("GET", "/windlass/v1/dead_letters", nil).list())
	require.NoError(t, b.store.NotDelivered(ctx, d.ID, "nobody there"))
	require.NoError(t, b.store.Bury(ctx, d.ID, time.Hour), "too early")
	require.Empty(t, b.do("GET", "/windlass/v1/dead_letters", nil).list())
	require.NoError(t, b.store.Bury(ctx, d.ID, 0))

	letters := b.do("GET", "/windlass/v1/dead_letters?limit=5", nil).list()
	require.Len(t, letters, 1)
	require.Equal(t, "nobody there", letters[0]["lastError"])
	require.Equal(t, string(id), letters[0]["subscriptionId"])
	require.True(t, strings.HasSuffix(instance, letters[0]["vnfInstanceId"].(string)))
	waiting, err := b.store.Waiting(ctx)
	require.NoError(t, err)
	require.Empty(t, waiting)
	b.do("GET", "/windlass/v1/dead_letters?after=x", nil).problem(http.StatusBadRequest)

	news := b.store.OutboxNews()
	path := "/windlass/v1/dead_letters/1/redeliver"
	b.do("POST", path, nil).want(http.StatusAccepted)
	<-news
	b.do("POST", path, nil).problem(http.StatusNotFound)
	b.do("POST", "/windlass/v1/dead_letters/x/redeliver", nil).problem(http.StatusNotFound)
	require.Len(t, b.outbox(id), 1)
}

func TestSubscription_byCertificateNeedsOne(t *testing.T) {
	subscribers := &obligingSubscribers{bare: true}
	b := newBench(t, func(o *Options) { o.Subscribers = subscribers })
	by := func(types ...string) answer {
		return b.do("POST", "/vnflcm/v1/subscriptions",
			subscribe(map[string]any{"callbackUri": callback + "/" + types[len(types)-1], "authentication": map[string]any{
				"authType": types, "paramsBasic": map[string]any{"userName": "u", "password": "p"},
			}}))
	}
	require.Contains(t, by("TLS_CERT").problem(http.StatusBadRequest), "notifications.certFile")
	by("TLS_CERT", "BASIC").want(http.StatusCreated)
	subscribers.bare = false
	by("TLS_CERT").want(http.StatusCreated)
}
