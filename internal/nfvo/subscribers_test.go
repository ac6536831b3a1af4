package nfvo

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const password = "s3cr3t-of-the-subscriber"

// subscriber answers with the status that the test sets, and records the requests.
type subscriber struct {
	*httptest.Server
	status  int
	later   string // the value of Retry-After
	seen    []*http.Request
	bodies  []map[string]any
	tokens  int
	refused string // a token that it refuses
}

func newSubscriber(t *testing.T, start func(http.Handler) *httptest.Server) *subscriber {
	s := &subscriber{status: http.StatusNoContent}
	s.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			id, secret, _ := r.BasicAuth()
			if id != "windlass" || secret != password || r.FormValue("grant_type") != "client_credentials" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			s.tokens++
			w.Header().Set("Content-Type", "application/json") // RFC 6749 clause 5.1
			_ = json.NewEncoder(w).Encode(map[string]any{
				"access_token": "token-" + strings.Repeat("x", s.tokens), "token_type": "Bearer", "expires_in": 3600,
			})
			return
		}
		s.seen = append(s.seen, r)
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.bodies = append(s.bodies, body)
		if s.refused != "" && r.Header.Get("Authorization") == "Bearer "+s.refused {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Location", "http://192.0.2.1/")
		w.Header().Set("Retry-After", s.later)
		w.WriteHeader(s.status)
	}))
	t.Cleanup(s.Close)
	return s
}

func subscription(uri string, version int) lcm.Subscription {
	return lcm.Subscription{
		ID: "sub", CallbackURI: uri, APIVersion: version, Verbosity: lcm.VerbosityFull,
		Endpoint: "https://vnfm.example",
	}
}

func event(state lcm.OperationState) lcm.VnfEvent {
	return lcm.VnfEvent{
		ID: "n1", Type: lcm.NotifyOperation, At: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), VnfInstanceID: "vnf",
		OpOccID: "op", Operation: lcm.OpInstantiate, State: state,
	}
}

func TestNotify_sendsWhatTheStandardSays(t *testing.T) {
	to := newSubscriber(t, httptest.NewServer)
	s := NewSubscribers(Options{})
	failed := event(lcm.FailedTemp)
	failed.Error = lcm.Errorf(lcm.KindBroken, "the disk is full")
	failed.ResourceChanges = &lcm.ResourceChanges{
		AffectedVnfcs:           []lcm.AffectedVnfc{{ID: "a", VduID: "b", ChangeType: "ADDED"}},
		AffectedVirtualLinks:    []lcm.AffectedVirtualLink{{ID: "n", VnfVirtualLinkDescID: "inner", ChangeType: "ADDED"}},
		AffectedVirtualStorages: []lcm.AffectedVirtualStorage{{ID: "v", VirtualStorageDescID: "disk", ChangeType: "REMOVED"}},
	}
	send := func(sub lcm.Subscription, e lcm.VnfEvent) map[string]any {
		target, err := SubscriberOf(sub, nil)
		require.NoError(t, err)
		require.NoError(t, s.Notify(t.Context(), target, sub, e))
		return to.bodies[len(to.bodies)-1]
	}
	start := send(subscription(to.URL, 1), event(lcm.RollingBack))
	require.Equal(t, map[string]any{
		"id": "n1", "notificationType": "VnfLcmOperationOccurrenceNotification", "subscriptionId": "sub",
		"timeStamp":     "2030-01-02T03:04:05Z",
		"vnfInstanceId": "vnf", "notificationStatus": "START", "operationState": "ROLLING_BACK", "operation": "INSTANTIATE",
		"isAutomaticInvocation": false, "vnfLcmOpOccId": "op", "_links": map[string]any{
			"vnfInstance":  map[string]any{"href": "https://vnfm.example/vnflcm/v1/vnf_instances/vnf"},
			"subscription": map[string]any{"href": "https://vnfm.example/vnflcm/v1/subscriptions/sub"},
			"vnfLcmOpOcc":  map[string]any{"href": "https://vnfm.example/vnflcm/v1/vnf_lcm_op_occs/op"},
		},
	}, start)
	require.Equal(t, "1.3.0", to.seen[0].Header.Get("Version"))

	full := send(subscription(to.URL, 2), failed)
	require.Equal(t, "RESULT", full["notificationStatus"])
	require.Equal(t, "FULL", full["verbosity"])
	require.Equal(t, "the disk is full", full["error"].(map[string]any)["detail"])
	require.Len(t, full["affectedVnfcs"], 1)
	require.Equal(t, "inner", full["affectedVirtualLinks"].([]any)[0].(map[string]any)["vnfVirtualLinkDescId"])
	require.Equal(t, "REMOVED", full["affectedVirtualStorages"].([]any)[0].(map[string]any)["changeType"])
	short := subscription(to.URL, 2)
	short.Verbosity = lcm.VerbosityShort
	brief := send(short, failed)
	require.Equal(t, "SHORT", brief["verbosity"])
	require.Equal(t, full["error"], brief["error"], "mandatory where an operation has failed")
	require.NotContains(t, brief, "affectedVnfcs")
	require.NotContains(t, brief, "affectedVirtualLinks")

	created := send(subscription(to.URL, 1), lcm.VnfEvent{ID: "n2", Type: lcm.NotifyCreation, VnfInstanceID: "vnf"})
	require.NotContains(t, created, "operationState")
	require.NotContains(t, created["_links"], "vnfLcmOpOcc")

	for _, status := range []int{http.StatusNotFound, http.StatusServiceUnavailable, http.StatusFound} {
		to.status = status
		err := s.Notify(t.Context(), Subscriber{URI: to.URL}, subscription(to.URL, 1), failed)
		require.True(t, lcm.Is(err, lcm.KindUnavailable), "%d: %v", status, err)
	}
	to.status = http.StatusOK
	require.ErrorContains(t, s.TestCallback(t.Context(), subscription(to.URL, 1), nil), "answers 200 to GET")
	to.status = http.StatusNoContent
	require.NoError(t, s.TestCallback(t.Context(), subscription(to.URL, 1), nil))
}

func TestNotify_leavesTheSubscriberAloneAsLongAsItAsks(t *testing.T) {
	to := newSubscriber(t, httptest.NewServer)
	to.status, to.later = http.StatusServiceUnavailable, "7"
	err := NewSubscribers(Options{}).Notify(t.Context(), Subscriber{URI: to.URL}, subscription(to.URL, 1),
		event(lcm.Completed))
	e, ok := errors.AsType[*lcm.Error](err)
	require.True(t, ok)
	require.Equal(t, lcm.KindUnavailable, e.Kind)
	require.Equal(t, 7*time.Second, e.RetryAfter)
}

func TestNotify_authenticates(t *testing.T) {
	to := newSubscriber(t, httptest.NewServer)
	s := NewSubscribers(Options{})
	last := func() *http.Request { return to.seen[len(to.seen)-1] }
	basic := `{"authType":["BASIC"],"paramsBasic":{"userName":"windlass","password":"` + password + `"}}`
	require.NoError(t, s.TestCallback(t.Context(), subscription(to.URL, 1), []byte(basic)))
	user, secret, _ := last().BasicAuth()
	require.Equal(t, []string{"windlass", password}, []string{user, secret})

	oauth := `{"authType":["OAUTH2_CLIENT_CREDENTIALS"],"paramsOauth2ClientCredentials":{"clientId":"windlass","clientPassword":"` +
		password + `","tokenEndpoint":"` + to.URL + `/token"}}`
	for range 2 {
		require.NoError(t, s.TestCallback(t.Context(), subscription(to.URL, 1), []byte(oauth)))
		require.Equal(t, "Bearer token-x", last().Header.Get("Authorization"), "a token is used until it expires")
	}
	to.refused = "token-x"
	require.NoError(t, s.TestCallback(t.Context(), subscription(to.URL, 1), []byte(oauth)))
	require.Equal(t, "Bearer token-xx", last().Header.Get("Authorization"), "one that was withdrawn is replaced")

	wrong := strings.ReplaceAll(oauth, password, "wrong")
	err := s.TestCallback(t.Context(), subscription(to.URL, 1), []byte(wrong))
	require.ErrorContains(t, err, "token endpoint answers 401")
	require.NotContains(t, err.Error(), "wrong")
}

func TestNotify_showsItsCertificate(t *testing.T) {
	to := newSubscriber(t, func(h http.Handler) *httptest.Server {
		server := httptest.NewUnstartedServer(h)
		server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
		server.StartTLS()
		return server
	})
	trusting := to.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	sub := subscription(to.URL, 1)
	now := trusting
	options := Options{TLS: func() *tls.Config { return now }}
	s := NewSubscribers(options)
	require.Error(t, s.TestCallback(t.Context(), sub, nil))
	now = trusting.Clone()
	now.Certificates = to.TLS.Certificates
	require.NoError(t, s.TestCallback(t.Context(), sub, nil), "the certificate is there now")
	require.NoError(t, NewSubscribers(options).TestCallback(t.Context(), sub, []byte(`{"authType":["TLS_CERT"]}`)))
	require.Error(t, NewSubscribers(Options{}).TestCallback(t.Context(), sub, nil), "an unknown authority")
}

func TestSubscribers_areNotEverywhere(t *testing.T) {
	to := newSubscriber(t, httptest.NewServer)
	s := NewSubscribers(Options{Denied: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"),
		netip.MustParsePrefix("::1/128"),
	}, HTTPSOnly: false})
	_, port, _ := strings.Cut(strings.TrimPrefix(to.URL, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		err := s.TestCallback(t.Context(), subscription("http://"+host+":"+port+"/x", 1), nil)
		require.ErrorContains(t, err, "notifications.deniedNetworks", host)
	}
	require.Empty(t, to.seen, "nothing was sent")
	for _, uri := range []string{
		"", "nfvo", "ftp://nfvo/x", "//nfvo/x", "http://u:p@nfvo/", "http://nfvo/#x",
		"file:///etc/passwd", "http://127.0.0.2/",
	} {
		require.Error(t, s.Check(uri), uri)
	}
	require.NoError(t, s.Check("http://nfvo.example/x?y=z"))
	require.ErrorContains(t, NewSubscribers(Options{HTTPSOnly: true}).Check("http://nfvo.example"), "https")
}

func TestNotify_tellsOfPackages(t *testing.T) {
	to := newSubscriber(t, httptest.NewServer)
	s := NewSubscribers(Options{})
	sub := lcm.Subscription{
		ID: "sub", API: lcm.APIPkgm, APIVersion: 1, CallbackURI: to.URL, Endpoint: "https://vnfm.example",
	}
	target, err := SubscriberOf(sub, nil)
	require.NoError(t, err)
	pkg := lcm.VnfPkg{ID: "pkg", VnfdID: "vnfd", OperationalState: lcm.PkgDisabled}
	send := func(change string) map[string]any {
		e := lcm.PackageEvent(pkg, change)
		e.ID, e.At = "n1", time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		require.NoError(t, s.Notify(t.Context(), target, sub, e))
		return to.bodies[len(to.bodies)-1]
	}
	links := map[string]any{
		"vnfPackage":   map[string]any{"href": "https://vnfm.example/vnfpkgm/v1/vnf_packages/pkg"},
		"subscription": map[string]any{"href": "https://vnfm.example/vnfpkgm/v1/subscriptions/sub"},
	}
	require.Equal(t, map[string]any{
		"id": "n1", "notificationType": "VnfPackageOnboardingNotification", "subscriptionId": "sub",
		"timeStamp": "2030-01-02T03:04:05Z", "vnfPkgId": "pkg", "vnfdId": "vnfd", "_links": links,
	}, send(""))
	require.Equal(t, "1.1.0", to.seen[0].Header.Get("Version"))
	require.Equal(t, map[string]any{
		"id": "n1", "notificationType": "VnfPackageChangeNotification", "subscriptionId": "sub",
		"timeStamp": "2030-01-02T03:04:05Z",
		"vnfPkgId":  "pkg", "vnfdId": "vnfd", "changeType": "OP_STATE_CHANGE", "operationalState": "DISABLED", "_links": links,
	}, send(lcm.PkgOpStateChange))
	require.NotContains(t, send(lcm.PkgDelete), "operationalState")
}
