package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func TestModify_startsOneWorkflowInProcessing(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			_, vnfdID := b.Onboard()
			instance := b.Create(root, vnfdID)
			body := `{"vnfInstanceName":"edge-2","vnfInstanceDescription":null,"metadata":{"site":"north"},"extensions":{"a":{"b":1}},"vnfConfigurableProperties":{}}`
			a := b.Do("PATCH", instance, body, servertest.AsMergePatch)
			a.Want(http.StatusAccepted)
			require.Empty(t, a.Body)
			o := b.Operation(a.Path())
			require.Equal(t, lcm.Processing, o.State, "no grant is needed")
			require.Equal(t, []lcm.OperationInput{{OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: lcm.OpModifyInfo}},
				b.Starter.Starts)
			require.JSONEq(t, body, string(o.Params))
			doc := b.Do("GET", a.Path(), nil).Want(http.StatusOK)
			require.Equal(t, "MODIFY_INFO", doc["operation"])
			require.Equal(t, []string{"cancel", "self", "vnfInstance"}, keysOf(doc["_links"]))
			require.NotContains(t, doc, "changedInfo")
			b.Do("GET", "/windlass/v1"+strings.TrimPrefix(a.Path(), root)+"/plan", nil).Problem(http.StatusNotFound)

			require.Contains(
				t,
				b.Do("PATCH", instance, `{}`, servertest.AsMergePatch).Problem(http.StatusConflict),
				string(o.ID),
			)
			b.Do("DELETE", instance, nil).Problem(http.StatusConflict)

			inst := b.Instance(instance)
			name := "edge-2"
			inst.Name, inst.Extensions, inst.ConfigurableProperties = name, map[string]any{"a": "b"}, map[string]any{"c": true}
			b.Enter(a.Path(), lcm.Completed, func(r *lcm.OperationRecord) {
				r.Instance, r.ChangedInfo = &inst, &lcm.VnfInfoModifications{
					VnfInstanceName: &name, VimConnections: []lcm.VimConnectionInfo{{ID: "x", VimType: "openstack"}},
				}
			})
			changed := b.Do("GET", a.Path(), nil).Want(http.StatusOK)["changedInfo"].(map[string]any)
			require.Equal(t, "edge-2", changed["vnfInstanceName"])
			if root == "/vnflcm/v1" {
				require.IsType(t, []any{}, changed["vimConnectionInfo"])
			} else {
				require.IsType(t, map[string]any{}, changed["vimConnectionInfo"])
			}
			list := b.Do("GET", root+"/vnf_lcm_op_occs", nil).List()
			require.NotContains(t, list[0], "changedInfo", "left out of lists by default")
			doc = b.Do("GET", instance, nil).Want(http.StatusOK)
			require.Equal(t, map[string]any{"a": "b"}, doc["extensions"])
			require.Equal(t, map[string]any{"c": true}, doc["vnfConfigurableProperties"])
		})
	}
}

// TestModify_ofV1TakesTheNamesOfTackersTests checks that secrets in such members are sealed like others, too.
func TestModify_ofV1TakesTheNamesOfTackersTests(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	entry := func(info, access string) string {
		return `{"vimConnectionInfo":[{"id":"own",` + info + `:{"endpoint":"https://cloud.example:5000/v3"},` + access +
			`:{"username":"u","password":"` + servertest.Marker + `","project":"p"},`
	}
	snake := entry(`"interface_info"`, `"access_info"`) + `"vim_type":"ETSINFV.OPENSTACK_KEYSTONE.V_3"}]}`
	b.Do("PATCH", b.Create("/vnflcm/v2", vnfdID), snake, servertest.AsMergePatch).Problem(http.StatusBadRequest)
	a := b.Do("PATCH", b.Create("/vnflcm/v1", vnfdID), snake, servertest.AsMergePatch)
	a.Want(http.StatusAccepted)
	o := b.Operation(a.Path())
	require.NotContains(t, string(o.Params), servertest.Marker)
	request, err := lcmtest.Read[lcm.ModifyRequest](o.Params)
	require.NoError(t, err)
	patch := map[string]any{}
	require.NoError(t, json.Unmarshal(request.VimConnections[0].Patch, &patch))
	require.Equal(t, []string{"accessInfo", "id", "interfaceInfo", "vimType"}, keysOf(patch))
}

func TestModify_isConditional(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance := b.Create("/vnflcm/v2", vnfdID)
	etag := b.Do("GET", instance, nil).Header.Get("ETag")
	require.NotEmpty(t, etag)
	b.Do("PATCH", instance, `{}`, servertest.AsMergePatch, `If-Match: "77"`).Problem(http.StatusPreconditionFailed)
	require.Empty(t, b.Starter.Starts)
	a := b.Do("PATCH", instance, `{}`, servertest.AsMergePatch, "If-Match: "+etag)
	a.Want(http.StatusAccepted)
	inst := b.Instance(instance)
	b.Enter(a.Path(), lcm.Completed, func(r *lcm.OperationRecord) { r.Instance = &inst })
	require.NotEqual(t, etag, b.Do("GET", instance, nil).Header.Get("ETag"), "it grows with every change")
	b.Do("PATCH", instance, `{}`, servertest.AsMergePatch, "If-Match: "+etag).Problem(http.StatusPreconditionFailed)
	b.Do("PATCH", instance, `{}`, "If-Match: *").Want(http.StatusAccepted)
}

func TestModify_reportsEveryMistakeOfFormAtOnce(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	v1 := b.Create("/vnflcm/v1", vnfdID)
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
		a := b.Do("PATCH", c.instance, c.body, servertest.AsMergePatch)
		a.Problem(http.StatusBadRequest)
		require.ElementsMatch(t, c.want, a.Paths(), c.body)
	}
	b.Do("PATCH", v1, `[`, servertest.AsMergePatch).Problem(http.StatusBadRequest)
	b.Do("PATCH", v1, `{}`, "Content-Type: application/json-patch+json").Problem(http.StatusUnsupportedMediaType)
	b.Do("PATCH", "/vnflcm/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30", `[]`,
		servertest.AsMergePatch).Problem(http.StatusNotFound)
	require.Empty(t, b.Starter.Starts)
}

func TestModify_refusesWhatCannotBe(t *testing.T) {
	b := servertest.New(t)
	pkg, vnfdID := b.Onboard()
	vim := b.RegisterVim("lab", false)
	fresh := b.Create("/vnflcm/v1", vnfdID)
	running := b.Runs("/vnflcm/v1", vnfdID, "ha", 3, 2)
	inst := b.Instance(running)
	inst.VimConnections = []lcm.VimConnectionInfo{{ID: "vim1", VimID: lcm.VimID(vim), VimType: "openstack"}}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
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
		require.Contains(t, b.Do("PATCH", c.instance, c.body, servertest.AsMergePatch).Problem(c.status), c.says, c.body)
	}
	require.Empty(t, b.Starter.Starts)
	// It is the VNFD that the instance has already.
	b.Do("PATCH", running, `{"vnfdId":"`+vnfdID+`"}`).Want(http.StatusAccepted)
	twin := strings.Replace(b.Runs("/vnflcm/v1", vnfdID, "ha", 3, 2), "v1", "v2", 1)
	require.Contains(t, b.Do("PATCH", twin, `{"vnfPkgId":"nothing"}`, servertest.AsMergePatch).Problem(422), "$.vnfPkgId",
		"v3.3.1 has it, too")
	b.Do("PATCH", twin, `{"vnfPkgId":"`+pkg[strings.LastIndexByte(pkg, '/')+1:]+`"}`,
		servertest.AsMergePatch).Want(http.StatusAccepted)
	b.Do("PATCH", fresh, `{"vimConnectionInfo":[{"id":"a","vimId":"`+vim+`","accessInfo":{"password":"`+servertest.Marker+`-modify"}}]}`).
		Want(http.StatusAccepted)
	require.Len(t, b.Starter.Starts, 3)
	b.Do("PATCH", pkg, map[string]any{"operationalState": "DISABLED"}).Want(http.StatusOK)
	another := b.Instance(fresh)
	another.ID, another.Version = rest.NewID[lcm.VnfInstanceID](), 1
	require.NoError(t, b.Store.CreateInstance(lcm.InProject(t.Context(), lcm.DefaultProject), another))
	path := "/vnflcm/v1/vnf_instances/" + string(another.ID)
	require.Contains(t, b.Do("PATCH", path, `{"vnfdId":"`+vnfdID+`"}`).Problem(http.StatusUnprocessableEntity), "DISABLED")
}

func TestModify_sealsSecrets(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	vim := b.RegisterVim("lab", false)
	instance := b.Create("/vnflcm/v2", vnfdID)
	before := len(b.Sealed())
	body := `{"vimConnectionInfo":{"a":{"vimId":"` + vim + `","vimType":"openstack","accessInfo":{"password":"` + servertest.Marker +
		`-1"}}},"metadata":{"token":"` + servertest.Marker + `-2"}}`
	a := b.Do("PATCH", instance, body, servertest.AsMergePatch)
	a.Want(http.StatusAccepted)
	require.Len(t, b.Sealed(), before+2, "the body and the canonical form have the same")
	require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker)
	require.NotContains(t, string(b.Operation(a.Path()).Request), servertest.Marker)
	require.Equal(t, 2, strings.Count(string(b.Do("GET", a.Path(), nil).Body), `"***"`))
	b.Do("PATCH", instance, body, servertest.AsMergePatch).Problem(http.StatusConflict)
	require.Len(t, b.Sealed(), before+2, "those of a refused request are not kept")
}

func TestModify_refusesASecretWhereNoneIsKept(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance := b.Create("/vnflcm/v2", vnfdID)
	before := len(b.Sealed())
	a := b.Do("PATCH", instance, `{"vnfInstanceName":"http://user:`+servertest.Marker+`@host"}`, servertest.AsMergePatch)
	require.Contains(t, a.Problem(http.StatusBadRequest), "looks like a secret")
	require.Equal(t, []string{"$.vnfInstanceName"}, a.Paths())
	require.Len(t, b.Sealed(), before)
}

func TestModify_refusesWhatItDoesNotUnderstand(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		b := servertest.New(t)
		_, vnfdID := b.Onboard()
		instance := b.Create(root, vnfdID)
		refused := b.Do("PATCH", instance, `{"vnfInstanceNme":"edge-2"}`, servertest.AsMergePatch).
			Problem(http.StatusBadRequest)
		require.Contains(t, refused, "$.vnfInstanceNme: is unknown; did you mean vnfInstanceName?")
		refused = b.Do("PATCH", instance, `{"color":"red"}`, servertest.AsMergePatch).Problem(http.StatusBadRequest)
		require.Contains(t, refused, "$.color: is unknown: you can modify vnfInstanceName,")
		mixed := b.Do("PATCH", instance, `{"color":"red","vnfInstanceName":"edge-2","metdata":{}}`, servertest.AsMergePatch)
		mixed.Problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.color", "$.metdata"}, mixed.Paths(), "also beside what is known")
		require.Empty(t, b.Starter.Starts)
	}
}
