package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	lcmSub1 = "5f1c0000-0c1e-4f60-8a3f-6f1f2f9d9c11"
	lcmSub2 = "6f1c0000-0c1e-4f60-8a3f-6f1f2f9d9c12"
	pkgSub  = "7f1c0000-0c1e-4f60-8a3f-6f1f2f9d9c13"
)

// subscriptionJSON is a subscription in an API's form.
func subscriptionJSON(root, id, callback, more string) string {
	return fmt.Sprintf(`{"id":%q,"callbackUri":%q,%s"_links":{"self":{"href":"http://api:9890%s/subscriptions/%s"}}}`, id, callback,
		more, root, id)
}

func letterJSON(id int, more string) string {
	return fmt.Sprintf(`{"id":%d,"subscriptionId":%q,"notificationType":"VnfLcmOperationOccurrenceNotification",
		"timeStamp":"2026-11-21T11:50:00Z",%s,"attempts":7,"lastError":"The subscriber answered 503."}`, id, lcmSub1, more)
}

// subscribed is an API with a subscription of each kind, and two dead letters.
func subscribed() *fakeAPI {
	one := subscriptionJSON("/vnflcm/v1", lcmSub1, "https://nfvo.example/n", `"filter":{"notificationTypes":["A","B"]},`)
	two := subscriptionJSON("/vnflcm/v2", lcmSub2, "https://oss.example/n", `"verbosity":"SHORT",`)
	pkg := subscriptionJSON("/vnfpkgm/v1", pkgSub, "https://nfvo.example/n", "")
	return &fakeAPI{answers: map[string]http.HandlerFunc{
		"GET /vnflcm/v1/subscriptions":                  ok(200, "["+one+"]"),
		"GET /vnflcm/v2/subscriptions":                  ok(200, "["+two+"]"),
		"GET /vnfpkgm/v1/subscriptions":                 ok(200, "["+pkg+"]"),
		"DELETE /vnflcm/v2/subscriptions/" + lcmSub2:    ok(204, ""),
		"DELETE /vnfpkgm/v1/subscriptions/" + pkgSub:    ok(204, ""),
		"POST /windlass/v1/dead_letters/812/redeliver":  accepted(""),
		"POST /windlass/v1/dead_letters/9000/redeliver": ok(404, `{"status":404,"detail":"There is no dead letter 9000."}`),
		"GET /windlass/v1/dead_letters": ok(200, "["+letterJSON(812, `"vnfLcmOpOccId":"o-1","operationState":"COMPLETED"`)+","+
			letterJSON(9000, `"vnfPkgId":"p-1"`)+"]"),
	}}
}

func TestSubscriptionList_hasThoseOfEveryAPI(t *testing.T) {
	got := windlass(t, subscribed(), "subscription", "list")
	require.Zero(t, got.code, got.err)
	golden(t, "subscription-list", got.out)
	assert.Equal(t, "subscription/"+lcmSub1+"\nsubscription/"+lcmSub2+"\nsubscription/"+pkgSub+"\n",
		windlass(t, subscribed(), "subscription", "list", "-o", "name").out)

	api := subscribed()
	denied := ok(403, `{"status":403,"title":"Denied","detail":"The scope vnfpkgm:v1:readonly is missing."}`)
	api.answers["GET /vnfpkgm/v1/subscriptions"] = denied
	assert.NotContains(t, windlass(t, api, "subscription", "list").out, pkgSub, "who may not read them sees the others")
	api.answers["GET /vnflcm/v1/subscriptions"], api.answers["GET /vnflcm/v2/subscriptions"] = denied, denied
	got = windlass(t, api, "subscription", "list")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, "readonly is missing")
}

func TestSubscriptionShow_takesTheCallbackToo(t *testing.T) {
	for _, word := range []string{lcmSub2, "6f1c", "https://oss.example/n", "subscription/" + lcmSub2} {
		got := windlass(t, subscribed(), "subscription", "show", word)
		require.Zero(t, got.code, got.err)
		golden(t, "subscription-show", got.out)
	}
	got := windlass(t, subscribed(), "subscription", "show", "https://nfvo.example/n")
	assert.Contains(t, got.err, "may be any of 2; give more of the id:\n  "+lcmSub1+"  vnflcm/v1  https://nfvo.example/n")
	const absent = "8f1c0000-0c1e-4f60-8a3f-6f1f2f9d9c14"
	assert.Equal(t, "windlass: There is no subscription \""+absent+"\"; 'windlass subscription list' shows them all.\n",
		windlass(t, subscribed(), "subscription", "show", absent).err)
}

func TestSubscriptionDelete_asksTheAPIOfTheSubscription(t *testing.T) {
	api := subscribed()
	got := windlass(t, api, "subscription", "delete", lcmSub2, "7f1c")
	assert.Equal(t, result{0, "Subscription " + lcmSub2 + " is deleted.\nSubscription " + pkgSub + " is deleted.\n", ""}, got)
	assert.Equal(t, "/vnfpkgm/v1/subscriptions/"+pkgSub, api.last(http.MethodDelete).path)
}

func TestDeadLetters_areListedAndDeliveredAgain(t *testing.T) {
	got := windlass(t, subscribed(), "subscription", "dead-letters", "-o", "wide")
	require.Zero(t, got.code, got.err)
	golden(t, "dead-letters", got.out)
	assert.Equal(t, "dead-letter/812\ndead-letter/9000\n", windlass(t, subscribed(), "subscription", "dead-letters", "-o", "name").out)

	for _, number := range []string{"812", "dead-letter/812"} {
		assert.Equal(t, result{0, "Windlass delivers the dead letter 812 again.\n", ""},
			windlass(t, subscribed(), "subscription", "redeliver", number))
	}
	assert.Equal(t, result{1, "", "windlass: There is no dead letter 9000.\n"},
		windlass(t, subscribed(), "subscription", "redeliver", "9000"))
	assert.Equal(t, result{0, "Dead letters that Windlass delivers again: 1.\n", ""},
		windlass(t, subscribed(), "subscription", "redeliver", "--all"), "another has been delivered meanwhile")
	for _, args := range [][]string{{}, {"812", "--all"}} {
		assert.Equal(t, exitUsage, windlass(t, subscribed(), append([]string{"subscription", "redeliver"}, args...)...).code)
	}
}

func TestDeadLetters_areReadAnAnswerAfterTheOther(t *testing.T) {
	api := subscribed()
	api.answers["GET /windlass/v1/dead_letters"] = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("after") != "1000" {
			var letters []string
			for id := 1; id <= deadLettersAtOnce; id++ {
				letters = append(letters, letterJSON(id, `"vnfInstanceId":"v"`))
			}
			ok(200, "["+strings.Join(letters, ",")+"]")(w, r)
			return
		}
		ok(200, "["+letterJSON(1001, `"vnfInstanceId":"v"`)+"]")(w, r)
	}
	names := windlass(t, api, "subscription", "dead-letters", "-o", "name").out
	assert.Equal(t, 1001, strings.Count(names, "\n"))
	assert.True(t, strings.HasSuffix(names, "dead-letter/1001\n"))
}

func TestCompletion_offersSubscriptionsAndDeadLetters(t *testing.T) {
	t.Setenv("WINDLASS_PROFILES", filepath.Join(t.TempDir(), "none"))
	server := httptest.NewServer(subscribed())
	defer server.Close()
	assert.Equal(t, []string{lcmSub2 + "\tvnflcm/v2 https://oss.example/n"},
		completed(t, server.URL, "subscription", "delete", "6"))
	assert.Equal(t, []string{"812\top/o-1 The subscriber answered 503."},
		completed(t, server.URL, "subscription", "redeliver", "9000", "8"))
}
