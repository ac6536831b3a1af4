package tacker_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/tacker"
)

func TestCheck_packages(t *testing.T) {
	f := newFake()
	good := f.pkg(t, "good", func(string) {})
	foreign := f.pkg(t, "foreign", func(dir string) {
		require.NoError(t, os.Mkdir(filepath.Join(dir, "Scripts"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Scripts/vendor.py"), []byte("print(1)\n"), 0o600))
		replace(t, filepath.Join(dir, "Definitions/k8s_ha_df_ha.yaml"), "mgmt-drivers-kubernetes", "Scripts/vendor.py")
	})
	classes := f.pkg(t, "classes", func(dir string) {
		require.NoError(t, os.Mkdir(filepath.Join(dir, "UserData"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "UserData/own.py"),
			[]byte("class Own(AbstractUserData):\n  pass\nclass SampleUserData:\n  pass\n"), 0o600))
	})
	broken := f.pkg(t, "broken", func(string) {})
	f.packages["/vnfpkgm/v1/vnf_packages/broken/package_content"] = []byte("no zip")
	disabled := f.pkg(t, "disabled", func(string) {})
	disabled["operationalState"] = "DISABLED"
	gone := map[string]any{"id": "gone", "onboardingState": "ONBOARDED"}
	f.answers["/vnfpkgm/v1/vnf_packages"] = []any{good, foreign, classes}
	f.links["/vnfpkgm/v1/vnf_packages"] = `<http://elsewhere/vnfpkgm/v1/vnf_packages?nextpage_opaque_marker=m>; rel="next"`
	f.answers["/vnfpkgm/v1/vnf_packages?nextpage_opaque_marker=m"] = []any{
		broken, disabled, gone, map[string]any{"id": "created", "onboardingState": "CREATED"},
	}

	r, err := f.check(t)
	require.NoError(t, err)
	for id, want := range map[string]struct {
		verdict tacker.Verdict
		reason  string
	}{
		"good":    {tacker.Carries, ""},
		"foreign": {tacker.Changes, "Windlass runs the script Scripts/vendor.py of instantiate_end only if"},
		"classes": {tacker.Changes, "UserData/own.py has the user data class Own."}, "broken": {tacker.Stays, "zip"},
		"disabled": {tacker.Changes, "windlass package disable"}, "gone": {tacker.Changes, "could not be downloaded"},
		"created": {tacker.Stays, "It is CREATED in Tacker"},
	} {
		got := finding(t, r, tacker.KindPackage, id)
		require.Equal(t, want.verdict, got.Verdict, "%s: %v", id, got.Reasons)
		require.Contains(t, strings.Join(got.Reasons, "\n"), want.reason, id)
	}
	require.Equal(t, map[tacker.Verdict]int{tacker.Carries: 1, tacker.Changes: 4, tacker.Stays: 2}, r.Counts)
}

func TestCheck_vims(t *testing.T) {
	f := newFake()
	f.answers["/v1.0/vims"] = map[string]any{"vims": []any{
		map[string]any{"id": "os", "name": "north", "type": "openstack", "auth_url": "http://k/identity/v3", "is_default": true},
		map[string]any{"id": "old", "name": "south", "type": "openstack", "auth_url": "http://k:5000/v2.0/"},
		map[string]any{"id": "k8s", "name": "edge", "type": "kubernetes", "extra": map[string]any{"helm_info": "{}"}},
		map[string]any{"id": "made", "name": "kubernetes_vim_1", "type": "kubernetes"},
		map[string]any{"id": "other", "name": "west", "type": "vmware"},
	}}
	r, err := f.check(t)
	require.NoError(t, err)
	for id, want := range map[string]struct {
		verdict tacker.Verdict
		reason  string
	}{
		"os":  {tacker.Changes, "windlass vim register north --config FILE --default"},
		"old": {tacker.Changes, "Keystone's v2.0"}, "k8s": {tacker.Changes, "Leave helm_info out"},
		"made": {tacker.Stays, "A cluster VNF of Tacker"}, "other": {tacker.Stays, `"vmware" are not supported`},
	} {
		got := finding(t, r, tacker.KindVIM, id)
		require.Equal(t, want.verdict, got.Verdict, id)
		require.Contains(t, strings.Join(got.Reasons, "\n"), want.reason, id)
	}
}

func TestCheck_vnfsAndWhatIsUnderWay(t *testing.T) {
	f := newFake()
	f.answers["/vnflcm/v1/vnf_instances"] = []any{
		map[string]any{"id": "record", "vnfInstanceName": "a", "vnfdId": "d", "instantiationState": "NOT_INSTANTIATED"},
		map[string]any{
			"id": "runs", "instantiationState": "INSTANTIATED",
			"vimConnectionInfo": []any{map[string]any{"vimType": "ETSINFV.OPENSTACK_KEYSTONE.v_2"}},
		},
	}
	f.answers["/vnflcm/v2/vnf_instances"] = []any{map[string]any{"id": "terraform", "instantiationState": "INSTANTIATED"}}
	f.answers["/vnflcm/v2/vnf_instances/terraform"] = map[string]any{
		"id": "terraform", "instantiationState": "INSTANTIATED",
		"vimConnectionInfo": map[string]any{"v": map[string]any{"vimType": "ETSINFV.TERRAFORM.V_1"}},
	}
	f.answers["/vnflcm/v1/vnf_lcm_op_occs"] = []any{
		map[string]any{"id": "done", "operationState": "COMPLETED"},
		map[string]any{"id": "busy", "operation": "SCALE", "operationState": "PROCESSING", "vnfInstanceId": "runs"},
		map[string]any{"id": "waits", "operation": "HEAL", "operationState": "FAILED_TEMP", "vnfInstanceId": "runs"},
	}
	f.answers["/vnflcm/v2/subscriptions"] = []any{map[string]any{"id": "sub", "callbackUri": "http://nfvo/n"}}
	r, err := f.check(t)
	require.NoError(t, err)

	require.Equal(t, tacker.Changes, finding(t, r, tacker.KindVNF, "record").Verdict)
	require.Equal(t, tacker.Stays, finding(t, r, tacker.KindVNF, "runs").Verdict)
	require.Len(t, finding(t, r, tacker.KindVNF, "runs").Reasons, 1)
	require.Contains(t, finding(t, r, tacker.KindVNF, "terraform").Reasons[1], "ETSINFV.TERRAFORM.V_1")
	require.Contains(t, finding(t, r, tacker.KindOperation, "busy").Reasons[0], "PROCESSING")
	require.Contains(t, finding(t, r, tacker.KindOperation, "waits").Reasons[0], "retry, rollback or fail")
	require.Contains(t, finding(t, r, tacker.KindSubscription, "sub").Reasons[0], "/vnflcm/v2/subscriptions")
	require.Len(t, r.Findings, 6, "an operation that has ended is none of them")
}

func TestCheck_aTackerWithoutAnAPI(t *testing.T) {
	f := newFake()
	delete(f.answers, "/vnflcm/v2/vnf_instances")
	r, err := f.check(t)
	require.NoError(t, err)
	require.Equal(t, []string{"This Tacker has no /vnflcm/v2."}, r.Notes)
}

func TestCheck_whatIsNoTacker(t *testing.T) {
	for name, c := range map[string]struct {
		server http.HandlerFunc
		kind   lcm.ErrorKind
		says   string
	}{
		"nothing there": {http.NotFound, lcm.KindInvalid, "Nothing at http"},
		"a page": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
			lcm.KindBroken, "does not answer as Tacker does",
		},
		"an error": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			lcm.KindBroken, "answers 502 Bad Gateway",
		},
		"no rights": {newFake().ServeHTTP, lcm.KindDenied, "requires authentication). Set OS_AUTH_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.server)
			defer server.Close()
			_, err := (&tacker.Client{Base: server.URL, HTTP: http.DefaultClient}).Check(t.Context())
			require.ErrorContains(t, err, c.says)
			require.True(t, lcm.Is(err, c.kind), "%v", err)
		})
	}
	t.Run("nobody", func(t *testing.T) {
		_, err := (&tacker.Client{Base: "http://127.0.0.1:1", HTTP: http.DefaultClient}).Check(t.Context())
		require.ErrorContains(t, err, "Tacker at http://127.0.0.1:1 does not answer")
		require.True(t, lcm.Is(err, lcm.KindUnavailable))
	})
}

func finding(t *testing.T, r *tacker.Report, kind, id string) tacker.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Kind == kind && f.ID == id {
			return f
		}
	}
	t.Fatalf("nothing is said of the %s %s", kind, id)
	return tacker.Finding{}
}
