package apiserver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// pageParam is the query parameter of SOL013 clause 5.4.2.3 that names the next page.
const pageParam = "nextpage_opaque_marker"

// The fuzzers require for any request that the answer is not a 5xx, that every error is a ProblemDetails, and that the
// resource of an accepted request can be read. Their seeds run as unit tests; more with: go test -run '^$' -fuzz
// FuzzBodies -parallel 1 ./apiserver

// prey has the resources for the requests of the fuzzers.
type prey struct {
	*servertest.Bench
	// names are placeholders for existing resources in paths and bodies: "$IDLE" is the path of an instance.
	names map[string]string
}

func newPrey(f *testing.F) *prey {
	f.Helper()
	p := &prey{Bench: servertest.New(f, func(o *apiserver.Options) { o.API.PageSize = 2 }), names: map[string]string{}}
	path, vnfdID := p.Onboard()
	p.names["$PKG"], p.names["$VNFD"] = path, vnfdID
	p.names["$VIM"] = p.RegisterVim("lab", true)
	p.renew()
	p.names["$MARKER"] = url.QueryEscape(p.marker("/vnflcm/v2/vnf_instances"))
	return p
}

// renew creates again the resources that an accepted request uses up.
func (p *prey) renew() {
	p.Helper()
	p.names["$IDLE"] = strings.TrimPrefix(p.Create("/vnflcm/v1", p.names["$VNFD"]), "/vnflcm/v1")
	p.names["$RUNNING"] = strings.TrimPrefix(p.Runs("/vnflcm/v1", p.names["$VNFD"], "ha", 3, 2), "/vnflcm/v1")
	failed := p.Create("/vnflcm/v1", p.names["$VNFD"])
	o := lcm.VnfLcmOpOcc{
		ID: rest.NewID[lcm.OpOccID](), VnfInstanceID: p.Instance(failed).ID, Operation: lcm.OpInstantiate,
		APIVersion: 1,
	}
	require.NoError(p, p.Store.BeginOperation(p.Context(), o))
	p.names["$FAILED"] = "/vnf_lcm_op_occs/" + string(o.ID)
	p.Enter(p.names["$FAILED"], lcm.Processing)
	p.Enter(p.names["$FAILED"], lcm.FailedTemp,
		func(r *lcm.OperationRecord) { r.Error = lcm.Errorf(lcm.KindBroken, "It failed.") })
	p.names["$EMPTY"] = p.Do("POST", "/vnfpkgm/v1/vnf_packages", map[string]any{}).Path()
	p.names["$SNAPSHOT"] = p.Do("POST", servertest.SnapshotsPath, `{}`).Path()
}

// marker returns the marker of the second page of a list.
func (p *prey) marker(list string) string {
	p.Helper()
	next, err := url.Parse(p.Do("GET", list, nil).NextPath())
	require.NoError(p, err)
	return next.Query().Get(pageParam)
}

func (p *prey) named(text string) string {
	for name, value := range p.names {
		text = strings.ReplaceAll(text, name, value)
	}
	return text
}

// send sends a request as it is, without a client that would correct it.
func (p *prey) send(t *testing.T, method, path, query, body string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://vnfm.example/", strings.NewReader(body))
	path = p.named(path)
	r.URL.Path, r.URL.RawQuery, r.Header = path, query, header
	if strings.HasPrefix(path, "/vnflcm/v2/") && header.Get("Version") == "" {
		r.Header.Set("Version", "2.0.0")
	}
	w := httptest.NewRecorder()
	p.Server.ServeHTTP(w, r)
	tame(t, path, w)
	return w
}

// tame requires an answer as the standard defines it.
func tame(t *testing.T, path string, w *httptest.ResponseRecorder) {
	t.Helper()
	require.Less(t, w.Code, http.StatusInternalServerError, "%s", w.Body)
	if w.Code < http.StatusBadRequest {
		return
	}
	if strings.HasPrefix(path, "/v1.0/") {
		require.Contains(t, w.Body.String(), "TackerError")
		return
	}
	require.Equal(t, rest.MimeProblem, w.Header().Get("Content-Type"), "%s", w.Body)
	var details rest.ProblemDetails
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &details), "%s", w.Body)
	require.Equal(t, w.Code, details.Status)
	require.NotEmpty(t, details.Detail)
}

// readable reads the resource of an accepted request in both versions, and the lists that contain it.
func (p *prey) readable(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	get := func(path string) {
		t.Helper()
		require.Equal(t, http.StatusOK, p.send(t, http.MethodGet, path, "", "", http.Header{}).Code, path)
	}
	path := strings.TrimPrefix(w.Header().Get("Location"), servertest.Endpoint)
	if below, ofLcm := strings.CutPrefix(path, "/vnflcm/v"); ofLcm && !strings.Contains(below, "/subscriptions/") &&
		!strings.HasPrefix(path, servertest.SnapshotsPath) {
		get("/vnflcm/v1" + below[1:])
		get("/vnflcm/v2" + below[1:])
	} else if path != "" {
		get(path)
	}
	for _, name := range []string{"$IDLE", "$RUNNING", "$FAILED"} {
		get("/vnflcm/v1" + name)
		get("/vnflcm/v2" + name)
	}
	get("$EMPTY")
	get("$SNAPSHOT")
	// Selectors use every attribute.
	for _, list := range []string{"/vnflcm/v1/vnf_instances", "/vnflcm/v2/vnf_lcm_op_occs", "/vnfpkgm/v1/vnf_packages", servertest.SnapshotsPath} {
		require.Equal(t, http.StatusOK, p.send(t, http.MethodGet, list, "exclude_fields=_links/self", "", http.Header{}).Code,
			list)
	}
	get("$PKG")
	get("/v1.0/vims/$VIM")
}

// hole is a resource that has a body in its request, with a body that it accepts.
type hole struct{ method, path, contentType, body string }

const instantiation = `{"flavourId":"ha","vimConnectionInfo":%s,"extVirtualLinks":[{"id":"net","resourceId":"6c1b1a52-4e5e-4a53-b1a2-9e1d3a2f7b10","extCps":[
	{"cpdId":"masterNode_CP1","cpConfig":%s},{"cpdId":"workerNode_CP2","cpConfig":%s}]}],"additionalParams":{"k8s_cluster_installation_param":{"vim_name":"edge",
	"master_node":{"aspect_id":"master_instance","ssh_cp_name":"masterNode_CP1","username":"debian","password":"p","cluster_cp_name":"vip_CP","pod_cidr":"192.168.3.0/16"},
	"worker_node":{"aspect_id":"worker_instance","ssh_cp_name":"workerNode_CP2","username":"debian","password":"p"}}}}`

// holes returns all resources that have a body in their requests.
func holes() []hole {
	var all []hole
	add := func(method, path, body string) { all = append(all, hole{method, path, rest.MimeJSON, body}) }
	for i, v := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		list, maps := `[{"linkPortId":"a"}]`, `{"a":{"linkPortId":"a"}}`
		vims := []string{
			`[{"id":"a","vimId":"$VIM","vimType":"openstack"}]`,
			`{"a":{"vimId":"$VIM","vimType":"openstack"}}`,
		}[i]
		cps := []string{list, maps}[i]
		add("POST", v+"/vnf_instances",
			`{"vnfdId":"$VNFD","vnfInstanceName":"a","metadata":{"a":{"b":[1,true,null]},"password":"p"}}`)
		add(
			"PATCH",
			v+"$IDLE",
			`{"vnfInstanceName":"b","metadata":{"a":null,"c":1},"extensions":{"d":{}},"vimConnectionInfo":`+vims+`}`,
		)
		add("PATCH", v+"$RUNNING", `{"vnfInstanceDescription":"b","vnfConfigurableProperties":{"d":[]}}`)
		add("POST", v+"$IDLE/instantiate", fmt.Sprintf(instantiation, vims, cps, cps))
		add("POST", v+"$RUNNING/scale",
			`{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":"1","additionalParams":{"vnfc_instance_ids":"a"}}`)
		add("POST", v+"$RUNNING/scale_to_level",
			`{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":1},{"aspectId":"master_instance","scaleLevel":0}]}`)
		add(
			"POST",
			v+"$RUNNING/heal",
			`{"vnfcInstanceId":["worker-0"],"cause":"a","additionalParams":{"all":false,"k8s_cluster_installation_param":{"worker_node":{"password":"p"}}}}`,
		)
		add("POST", v+"$RUNNING/operate",
			`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":60,"vnfcInstanceId":"worker-0"}`)
		add("POST", v+"$RUNNING/change_ext_conn",
			`{"extVirtualLinks":[{"id":"a","resourceId":"b","extCps":[{"cpdId":"workerNode_CP2","cpConfig":`+cps+`}]}]}`)
		add("POST", v+"$RUNNING/terminate",
			`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":30,"additionalParams":{"a":1}}`)
		add("POST", v+"$RUNNING/change_flavour", `{"newFlavourId":"simple"}`)
		add("POST", v+"$FAILED/retry", ``)
		add("POST", v+"$FAILED/rollback", ``)
		add("POST", v+"$FAILED/fail", ``)
		add("POST", v+"$FAILED/cancel", `{"cancelMode":"GRACEFUL"}`)
		add(
			"POST",
			v+"/subscriptions",
			`{"callbackUri":"https://nfvo.example/a","filter":{"notificationTypes":["VnfLcmOperationOccurrenceNotification"],
			"operationTypes":["HEAL"],"operationStates":["FAILED"],"vnfInstanceSubscriptionFilter":{"vnfInstanceNames":["a"],"vnfProductsFromProviders":
			[{"vnfProvider":"p","vnfProducts":[{"vnfProductName":"n","versions":[{"vnfSoftwareVersion":"1","vnfdVersions":["1"]}]}]}]}},
			"authentication":{"authType":["BASIC","OAUTH2_CLIENT_CREDENTIALS"],"paramsBasic":{"userName":"u","password":"p"},
			"paramsOauth2ClientCredentials":{"clientId":"c","clientPassword":"p","tokenEndpoint":"https://nfvo.example/t"}},"verbosity":"SHORT"}`,
		)
	}
	for _, task := range []string{"/change_vnfpkg", "/create_snapshot", "/revert_to_snapshot"} {
		add("POST", "/vnflcm/v2$RUNNING"+task, `{"vnfdId":"$VNFD","vnfSnapshotInfoId":"a"}`)
	}
	for _, on := range []string{"POST " + servertest.SnapshotsPath, "PATCH $SNAPSHOT"} {
		method, path, _ := strings.Cut(on, " ")
		add(
			method,
			path,
			`{"vnfSnapshotPkgId":"a","vnfSnapshot":{"id":"a","vnfInstanceId":"a","vnfdId":"a","_links":{},"vnfcSnapshots":[{"id":"a","vnfcInstanceId":"b"}],
			"vnfInstance":{"vimConnectionInfo":{"a":{"accessInfo":{"password":"a"}}},"userDefinedData":{"a":null,"b":1}},"surprise":{"b":1}}}`,
		)
	}
	add("POST", "/vnfpkgm/v1/vnf_packages", `{"userDefinedData":{"a":{"b":1}}}`)
	add("PATCH", "$PKG", `{"userDefinedData":{"a":null,"b":"c"}}`)
	add("PATCH", "$EMPTY", `{"userDefinedData":{"a":null,"b":"c"}}`)
	all = append(all, hole{"PUT", "$EMPTY/package_content", "application/zip", "PK\x05\x06" + strings.Repeat("\x00", 18)})
	add("POST", "$EMPTY/package_content/upload_from_uri",
		`{"addressInformation":"https://repo.example/a.zip","userName":"u","password":"p"}`)
	add(
		"POST",
		"/vnfpkgm/v1/subscriptions",
		`{"callbackUri":"https://nfvo.example/p","filter":{"notificationTypes":["VnfPackageOnboardingNotification"],"vnfdId":["a"]}}`,
	)
	add(
		"POST",
		"/v1.0/vims",
		`{"vim":{"type":"openstack","name":"a","auth_url":"http://192.0.2.5/v3","auth_cred":{"username":"u","password":"p"},"vim_project":{"name":"a"},"extra":{"region":"r"}}}`,
	)
	add("PUT", "/v1.0/vims/$VIM", `{"vim":{"description":"a","auth_cred":{"password":"q"},"extra":{"ssh_port":22}}}`)
	add("POST", "/windlass/v1$RUNNING/plan",
		`{"operation":"SCALE","request":{"type":"SCALE_IN","aspectId":"worker_instance"}}`)
	add("PUT", "/windlass/v1$RUNNING/drift_policy", `{"check":true,"interval":60,"autoHeal":true,"maxHeals":3}`)
	add("POST", "/server_notification$IDLE/servers/worker-0/notify",
		`{"notification":{"alarm_id":"a","fault_id":"b","fault_type":"c","fault_option":{}}}`)
	return all
}

// nasty returns bodies of kinds that often break programs.
func nasty() []string {
	d := rand.New(rand.NewPCG(5, 6))
	var long strings.Builder // too long for an index, and not compressible
	for range 6000 {
		long.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[d.IntN(36)])
	}
	deep := strings.Repeat(`{"a":`, 3000) + `1` + strings.Repeat(`}`, 3000)
	return []string{
		``, ` `, `null`, `[]`, `"text"`, `1`, `{}`, `{"a"`, `{} {}`, "\x00", "\xff\xfe", `{"$secret":"vnf/x"}`,
		strings.Repeat("[", 20000), deep,
		`{"vnfdId":"$VNFD","vnfInstanceName":"` + long.String() + `","metadata":{"` + long.String() + `":"` + long.String() +
			`"}}`,
		`{"vim":{"type":"openstack","name":"` + long.String() + `","auth_url":"http://a","auth_cred":{"username":"u"}}}`,
		`{"callbackUri":"https://nfvo.example/` + long.String() + `"}`,
		`{"addressInformation":"` + long.String() + `"}`,
		`{"vim":{"name":"a\u0000b","description":"\ud800"}}`,
		`{"operation":"HEAL","request":null}`, `{"operation":"INSTANTIATE","request":[[]]}`,
		`{"check":true,"interval":99999999999999999999}`,
	}
}

// spoilt returns changes of a body that is accepted.
func spoilt(body string) []string {
	if !strings.HasPrefix(body, "{") {
		return []string{body}
	}
	return []string{
		body,
		`{"surprise":1e400000,` + body[1:],
		`{"surprise":"\u0000",` + body[1:],
		`{"surprise":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `,` + body[1:],
		strings.ReplaceAll(body, `"a"`, `"\u0000"`),
		strings.ReplaceAll(body, `"a"`, `{}`),
		strings.ReplaceAll(body, `"a"`, `null`),
		strings.ReplaceAll(body, `1`, `1e999`),
		`{"surprise":1e400,` + body[1:],
		strings.ReplaceAll(strings.ReplaceAll(body, `[`, `{"a":`), `]`, `}`),
	}
}

func FuzzBodies(f *testing.F) {
	all := holes()
	for i, h := range all {
		bodies := []string{``, `nonsense`} // for requests that have no body
		if h.body != "" {
			bodies = spoilt(h.body)
		}
		// Both versions have the same code, so one is enough.
		if h.body != "" && !strings.HasPrefix(h.path, "/vnflcm/v1") {
			bodies = append(bodies, nasty()...)
		}
		for _, body := range bodies {
			f.Add(uint8(i), []byte(body)) //nolint:gosec // fewer than 256
		}
	}
	p := newPrey(f)
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		p.TB = t
		h := all[int(which)%len(all)]
		w := p.send(t, h.method, h.path, "", p.named(string(body)), http.Header{"Content-Type": {h.contentType}})
		if w.Code < http.StatusBadRequest {
			p.readable(t, w)
			p.renew()
		}
	})
}

// listed are the resources that are lists, or have some of the parameters of lists.
var listed = []string{
	"/vnflcm/v2/vnf_instances", "/vnflcm/v1/vnf_instances", "/vnflcm/v1/vnf_lcm_op_occs", "/vnflcm/v2/vnf_lcm_op_occs",
	"/vnflcm/v2/subscriptions", servertest.SnapshotsPath,
	"/vnfpkgm/v1/vnf_packages", "/vnfpkgm/v1/onboarded_vnf_packages", "/vnfpkgm/v1/subscriptions", "/v1.0/vims",
	"/windlass/v1/audit",
	"/windlass/v1/dead_letters", "/vnflcm/v1$RUNNING", "/windlass/v1$FAILED/steps", "/windlass/v1$FAILED/logs",
	"/windlass/v1$FAILED/steps/0/output",
}

func FuzzQueries(f *testing.F) {
	for i := range listed {
		for _, query := range []string{
			"", "filter=(eq,id,a)", "filter=%28eq%2Cmetadata%2Fa%2F%40key%2C%27it%27%27s%27%29;(gt,startTime,2030-01-02T03:04:05Z)", "filter=(eq,id,%00)", "filter=(eq,id,%ff)",
			"filter=(cont,vnfInstanceName,%25_%5C)", "filter=(eq,metadata/%22%5C,%5C%22)",
			"filter=(in,instantiatedVnfInfo/vnfcResourceInfo/id,a,1e400,true)",
			"filter=(eq,metadata/a,1e400000)", "filter=(lt,metadata/a,-9223372036854775809)",
			"filter=(eq,vimConnectionInfo/a/vimId,$VIM)", "filter=(eq,operationParams/a/b/c,1)",
			"filter=(gt,startTime,0000-01-01T00:00:00Z)", "filter=(eq,isCancelPending,TRUE)", "filter=" +
				strings.Repeat("(eq,id,a);", 500) + "(eq,id,a)",
			"filter=(eq," + strings.Repeat("a/", 2000) + "a,b)", "filter=(in,id," + strings.Repeat("a,", 3000) + "a)",
			"fields=a//b", "all_fields&fields=a", "exclude_fields=a/b/c,_links/self",
			pageParam + "=$MARKER", pageParam + "=$MARKER" + "A", pageParam + "=%00", pageParam + "=" +
				strings.Repeat("A", 9000), "%zz", "a=b", "all_records=yes",
			"limit=-1", "before=9223372036854775808", "after=x", "node=%00",
		} {
			f.Add(uint8(i), query) //nolint:gosec // fewer than 256
		}
	}
	p := newPrey(f)
	f.Fuzz(func(t *testing.T, which uint8, query string) {
		p.TB = t
		path := listed[int(which)%len(listed)]
		w := p.send(t, http.MethodGet, path, p.named(query), "", http.Header{})
		if link := w.Header().Get("Link"); link != "" { // continue with the next page
			next, err := url.Parse(strings.TrimPrefix(link[:strings.Index(link, ">")], "<"))
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, p.send(t, http.MethodGet, path, next.RawQuery, "", http.Header{}).Code,
				next.RawQuery)
		}
	})
}

func FuzzHeaders(f *testing.F) {
	for i := range holes() {
		for _, value := range []string{
			"", "\xff", "*", "*/*;q=0", "text/plain", "application/json; charset=", "2.0.0-impl:",
			"1.3", `"1", W/"2"`, "bytes=9-1,-", strings.Repeat("a,", 2000),
		} {
			f.Add(uint8(i), value, value, value, value) //nolint:gosec // fewer than 256
		}
	}
	p := newPrey(f)
	all := holes()
	f.Fuzz(func(t *testing.T, which uint8, version, accept, match, bytes string) {
		p.TB = t
		for _, value := range []string{version, accept, match, bytes} {
			if strings.ContainsAny(value, "\x00\r\n") {
				t.Skip("no server reads such a header")
			}
		}
		h := all[int(which)%len(all)]
		header := http.Header{
			"Version": {version}, "Accept": {accept}, "If-Match": {match}, "Range": {bytes}, "Content-Type": {accept},
		}
		w := p.send(t, h.method, h.path, "", "{}", header.Clone())
		p.send(t, http.MethodGet, h.path, "", "", header)
		p.send(t, http.MethodGet, "$PKG/package_content", "", "",
			http.Header{"Range": {bytes}, "If-Range": {match}, "If-Match": {match}, "Accept": {accept}})
		if w.Code < http.StatusBadRequest {
			p.renew()
		}
	})
}
