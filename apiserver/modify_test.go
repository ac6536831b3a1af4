package apiserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

const asMergePatch = "Content-Type: application/merge-patch+json"

func TestModify_startsOneWorkflowInProcessing(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			_, vnfdID := b.onboard()
			instance := b.create(root, vnfdID)
			body := `{"vnfInstanceName":"edge-2","vnfInstanceDescription":null,"metadata":{"site":"north"},"extensions":{"a":{"b":1}},"vnfConfigurableProperties":{}}`
			a := b.do("PATCH", instance, body, asMergePatch)
			a.want(http.StatusAccepted)
			require.Empty(t, a.Body)
			o := b.operation(a.path())
			require.Equal(t, lcm.Processing, o.State, "no grant is needed")
			require.Equal(t, []lcm.OperationInput{{OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: lcm.OpModifyInfo}},
				b.starter.starts)
			require.JSONEq(t, body, string(o.Params))
			doc := b.do("GET", a.path(), nil).want(http.StatusOK)
			require.Equal(t, "MODIFY_INFO", doc["operation"])
			require.Equal(t, []string{"cancel", "self", "vnfInstance"}, keysOf(doc["_links"]))
			require.NotContains(t, doc, "changedInfo")
			b.do("GET", "/windlass/v1"+strings.TrimPrefix(a.path(), root)+"/plan", nil).problem(http.StatusNotFound)

			require.Contains(t, b.do("PATCH", instance, `{}`, asMergePatch).problem(http.StatusConflict), string(o.ID))
			b.do("DELETE", instance, nil).problem(http.StatusConflict)

			inst := b.instance(instance)
			name := "edge-2"
			inst.Name, inst.Extensions, inst.ConfigurableProperties = name, map[string]any{"a": "b"}, map[string]any{"c": true}
			b.enter(a.path(), lcm.Completed, func(r *lcm.OperationRecord) {
				r.Instance, r.ChangedInfo = &inst, &lcm.VnfInfoModifications{
					VnfInstanceName: &name, VimConnections: []lcm.VimConnectionInfo{{ID: "x", VimType: "openstack"}},
				}
			})
			changed := b.do("GET", a.path(), nil).want(http.StatusOK)["changedInfo"].(map[string]any)
			require.Equal(t, "edge-2", changed["vnfInstanceName"])
			if root == "/vnflcm/v1" {
				require.IsType(t, []any{}, changed["vimConnectionInfo"])
			} else {
				require.IsType(t, map[string]any{}, changed["vimConnectionInfo"])
			}
			list := b.do("GET", root+"/vnf_lcm_op_occs", nil).list()
			require.NotContains(t, list[0], "changedInfo", "left out of lists by default")
			doc = b.do("GET", instance, nil).want(http.StatusOK)
			require.Equal(t, map[string]any{"a": "b"}, doc["extensions"])
			require.Equal(t, map[string]any{"c": true}, doc["vnfConfigurableProperties"])
		})
	}
}

// TestModify_ofV1TakesTheNamesOfTackersTests checks that secrets in such members are sealed like others, too.
func TestModify_ofV1TakesTheNamesOfTackersTests(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	entry := func(info, access string) string {
		return `{"vimConnectionInfo":[{"id":"own",` + info + `:{"endpoint":"https://cloud.example:5000/v3"},` + access +
			`:{"username":"u","password":"` + marker + `","project":"p"},`
	}
	snake := entry(`"interface_info"`, `"access_info"`) + `"vim_type":"ETSINFV.OPENSTACK_KEYSTONE.V_3"}]}`
	b.do("PATCH", b.create("/vnflcm/v2", vnfdID), snake, asMergePatch).problem(http.StatusBadRequest)
	a := b.do("PATCH", b.create("/vnflcm/v1", vnfdID), snake, asMergePatch)
	a.want(http.StatusAccepted)
	o := b.operation(a.path())
	require.NotContains(t, string(o.Params), marker)
	request, err := lcmtest.Read[lcm.ModifyRequest](o.Params)
	require.NoError(t, err)
	patch := map[string]any{}
	require.NoError(t, json.Unmarshal(request.VimConnections[0].Patch, &patch))
	require.Equal(t, []string{"accessInfo", "id", "interfaceInfo", "vimType"}, keysOf(patch))
}

func TestModify_isConditional(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	instance := b.create("/vnflcm/v2", vnfdID)
	etag := b.do("GET", instance, nil).Header.Get("ETag")
	require.NotEmpty(t, etag)
	b.do("PATCH", instance, `{}`, asMergePatch, `If-Match: "77"`).problem(http.StatusPreconditionFailed)
	require.Empty(t, b.starter.starts)
	a := b.do("PATCH", instance, `{}`, asMergePatch, "If-Match: "+etag)
	a.want(http.StatusAccepted)
	inst := b.instance(instance)
	b.enter(a.path(), lcm.Completed, func(r *lcm.OperationRecord) { r.Instance = &inst })
	require.NotEqual(t, etag, b.do("GET", instance, nil).Header.Get("ETag"), "it grows with every change")
	b.do("PATCH", instance, `{}`, asMergePatch, "If-Match: "+etag).problem(http.StatusPreconditionFailed)
	b.do("PATCH", instance, `{}`, "If-Match: *").want(http.StatusAccepted)
}

func TestModify_reportsEveryMistakeOfFormAtOnce(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	v1 := b.create("/vnflcm/v1", vnfdID)
	v2 := strings.Replace(v1, "v1", "v2", 1)
	for _, c := range []struct {
		instance, body string
		want           []string
	}{
		{
			v1, `{"vnfInstanceName":1,"metadata":[],"vimConnectionInfo":{}}`,
			[]string{"$.vnfInstanceName", "$.metadata", "$.vimConnectionInfo"},
		},
		{v1, `{"vimConnectionInfo":[{"vimId":1}],"vimConnectionInfoDeleteIds":[1]}`, []string{
			"$.vimConnectionInfo[0].id", "$.vimConnectionInfo[0].vimId", "$.vimConnectionInfoDeleteIds[0]",
		}},
		{
			v1, `{"vnfdId":null,"id":"x","instantiationState":"INSTANTIATED"}`,
			[]string{"$.id", "$.instantiationState", "$.vnfdId"},
		},
		{v2, `{"metadata":{"a":{"iccid":8949017203456789012}}}`, []string{"$.metadata.a.iccid"}},
		{v2, `{"vimConnectionInfo":[],"extensions":1}`, []string{"$.vimConnectionInfo", "$.extensions"}},
		{
			v2, `{"vimConnectionInfo":{"a":null,"b":{"vimType":1,"extra":[]},"c":7},"vnfPkgId":null,"vnfProvider":"y"}`,
			[]string{
				"$.vnfPkgId", "$.vnfProvider", "$.vimConnectionInfo.b.vimType", "$.vimConnectionInfo.b.extra",
				"$.vimConnectionInfo.c",
			},
		},
	} {
		a := b.do("PATCH", c.instance, c.body, asMergePatch)
		a.problem(http.StatusBadRequest)
		require.ElementsMatch(t, c.want, a.paths(), c.body)
	}
	b.do("PATCH", v1, `[`, asMergePatch).problem(http.StatusBadRequest)
	b.do("PATCH", v1, `{}`, "Content-Type: application/json-patch+json").problem(http.StatusUnsupportedMediaType)
	b.do("PATCH", "/vnflcm/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30", `[]`,
		asMergePatch).problem(http.StatusNotFound)
	require.Empty(t, b.starter.starts)
}

func TestModify_refusesWhatCannotBe(t *testing.T) {
	b := newBench(t)
	pkg, vnfdID := b.onboard()
	vim := b.registerVim("lab", false)
	fresh := b.create("/vnflcm/v1", vnfdID)
	running := b.runs("/vnflcm/v1", vnfdID, "ha", 3, 2)
	inst := b.instance(running)
	inst.VimConnections = []lcm.VimConnectionInfo{{ID: "vim1", VimID: lcm.VimID(vim), VimType: "openstack"}}
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	for _, c := range []struct {
		instance, body string
		status         int
		says           string
	}{
		{fresh, `{"vnfdId":"nothing"}`, 422, "$.vnfdId"},
		{fresh, `{"vnfPkgId":"nothing"}`, 422, "$.vnfPkgId"},
		{fresh, `{"vnfdId":"` + vnfdID + `","vnfPkgId":"nothing"}`, 400, "$.vnfPkgId"},
		{fresh, `{"vimConnectionInfo":[{"id":"a"}]}`, 400, "$.vimConnectionInfo[0].vimId"},
		{fresh, `{"vimConnectionInfo":[{"id":"a","vimId":"5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30"}]}`, 422, "there is no VIM"},
		{
			strings.Replace(fresh, "v1", "v2", 1), `{"vimConnectionInfo":{"a.b":{"vimId":"x"}}}`, 422,
			"$.vimConnectionInfo['a.b'].vimId",
		},
		{running, `{"vimConnectionInfoDeleteIds":["vim1"]}`, 409, "cannot be removed while"},
	} {
		require.Contains(t, b.do("PATCH", c.instance, c.body, asMergePatch).problem(c.status), c.says, c.body)
	}
	require.Empty(t, b.starter.starts)
	// It is the VNFD that the instance has already.
	b.do("PATCH", running, `{"vnfdId":"`+vnfdID+`"}`).want(http.StatusAccepted)
	twin := strings.Replace(b.runs("/vnflcm/v1", vnfdID, "ha", 3, 2), "v1", "v2", 1)
	require.Contains(t, b.do("PATCH", twin, `{"vnfPkgId":"nothing"}`, asMergePatch).problem(422), "$.vnfPkgId",
		"v3.3.1 has it, too")
	b.do("PATCH", twin, `{"vnfPkgId":"`+pkg[strings.LastIndexByte(pkg, '/')+1:]+`"}`,
		asMergePatch).want(http.StatusAccepted)
	b.do("PATCH", fresh, `{"vimConnectionInfo":[{"id":"a","vimId":"`+vim+`","accessInfo":{"password":"`+marker+`-modify"}}]}`).want(http.StatusAccepted)
	require.Len(t, b.starter.starts, 3)
	b.do("PATCH", pkg, map[string]any{"operationalState": "DISABLED"}).want(http.StatusOK)
	another := b.instance(fresh)
	another.ID, another.Version = rest.NewID[lcm.VnfInstanceID](), 1
	require.NoError(t, b.store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), another))
	path := "/vnflcm/v1/vnf_instances/" + string(another.ID)
	require.Contains(t, b.do("PATCH", path, `{"vnfdId":"`+vnfdID+`"}`).problem(http.StatusUnprocessableEntity), "DISABLED")
}

func TestModify_sealsSecrets(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	vim := b.registerVim("lab", false)
	instance := b.create("/vnflcm/v2", vnfdID)
	before := len(sealed(b))
	body := `{"vimConnectionInfo":{"a":{"vimId":"` + vim + `","vimType":"openstack","accessInfo":{"password":"` + marker +
		`-1"}}},"metadata":{"token":"` + marker + `-2"}}`
	a := b.do("PATCH", instance, body, asMergePatch)
	a.want(http.StatusAccepted)
	require.Len(t, sealed(b), before+2, "the body and the canonical form have the same")
	require.NotContains(t, string(b.operation(a.path()).Params), marker)
	require.NotContains(t, string(b.operation(a.path()).Request), marker)
	require.Equal(t, 2, strings.Count(string(b.do("GET", a.path(), nil).Body), `"***"`))
	b.do("PATCH", instance, body, asMergePatch).problem(http.StatusConflict)
	require.Len(t, sealed(b), before+2, "those of a refused request are not kept")
}

func TestModify_refusesASecretWhereNoneIsKept(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	instance := b.create("/vnflcm/v2", vnfdID)
	before := len(sealed(b))
	a := b.do("PATCH", instance, `{"vnfInstanceName":"http://user:`+marker+`@host"}`, asMergePatch)
	require.Contains(t, a.problem(http.StatusBadRequest), "looks like a secret")
	require.Equal(t, []string{"$.vnfInstanceName"}, a.paths())
	require.Len(t, sealed(b), before)
}

func TestModify_refusesWhatItDoesNotUnderstand(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		b := newBench(t)
		_, vnfdID := b.onboard()
		instance := b.create(root, vnfdID)
		refused := b.do("PATCH", instance, `{"vnfInstanceNme":"edge-2"}`, asMergePatch).problem(http.StatusBadRequest)
		require.Contains(t, refused, "$.vnfInstanceNme: is unknown; did you mean vnfInstanceName?")
		refused = b.do("PATCH", instance, `{"color":"red"}`, asMergePatch).problem(http.StatusBadRequest)
		require.Contains(t, refused, "$.color: is unknown: you can modify vnfInstanceName,")
		mixed := b.do("PATCH", instance, `{"color":"red","vnfInstanceName":"edge-2","metdata":{}}`, asMergePatch)
		mixed.problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.color", "$.metdata"}, mixed.paths(), "also beside what is known")
		require.Empty(t, b.starter.starts)
	}
}
