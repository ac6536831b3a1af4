package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// running creates an instance of the sample package with five control planes and four workers.
func (b *bench) running(root string) (instance string) {
	b.Helper()
	_, vnfdID := b.onboard()
	return b.runs(root, vnfdID, "ha", 5, 4)
}

func (b *bench) runs(root, vnfdID, flavour string, controlPlanes, workers int) (instance string) {
	b.Helper()
	instance = b.create(root, vnfdID)
	inst := b.instance(instance)
	additional, err := json.Marshal(clusterRequest("")["additionalParams"])
	require.NoError(b, err)
	prefix := lcm.SecretRef("vnf/" + inst.ID + "/request/first")
	additional, err = secrets.SealDocument(b.Context(), b.vault, prefix, additional)
	require.NoError(b, err)
	info := &lcm.InstantiatedVnfInfo{FlavourID: flavour, VnfState: "STARTED", AdditionalParams: additional}
	add := func(vdu, name string, role lcm.Role, n int) {
		for i := range n {
			server := fmt.Sprintf("%s-%d", name, i)
			info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
				ID: server, VduID: vdu, Metadata: map[string]any{lcm.CreationTime: fmt.Sprintf("2026-01-01T00:00:%02dZ", i)},
				ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: server},
			})
			info.Nodes = append(info.Nodes, lcm.Node{Name: "node-" + server, Role: role, ServerID: server, VduID: vdu})
		}
	}
	add("masterNode", "cp", lcm.ControlPlane, controlPlanes)
	add("workerNode", "worker", lcm.Worker, workers)
	info.ScaleStatus = []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: workers - 1}}
	if flavour == "ha" {
		info.ScaleStatus = []lcm.ScaleInfo{
			{AspectID: "master_instance", ScaleLevel: (controlPlanes - 3) / 2},
			{AspectID: "worker_instance", ScaleLevel: workers - 2},
		}
	}
	inst.InstantiationState, inst.Instantiated = lcm.Instantiated, info
	require.NoError(b, b.store.UpdateInstance(b.Context(), inst))
	return instance
}

func (b *bench) instance(path string) lcm.VnfInstance {
	b.Helper()
	inst, err := b.store.Instance(b.Context(), lcm.VnfInstanceID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(b, err)
	return inst
}

func TestChanges_startOneWorkflowAndAnswerWithTheirOperation(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		for task, c := range map[string]struct {
			body string
			op   lcm.Operation
		}{
			"scale":          {`{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":"1","additionalParams":{"is_auto":"False"}}`, lcm.OpScale},
			"scale_to_level": {`{"instantiationLevelId":"instantiation_level_2"}`, lcm.OpScaleToLevel},
			"heal":           {`{"vnfcInstanceId":"workerNode-worker-0","cause":"it is lost","healScript":"x","additionalParams":{"all":false}}`, lcm.OpHeal},
			"operate":        {`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":60,"additionalParams":{"x":1}}`, lcm.OpOperate},
		} {
			t.Run(root+" "+task, func(t *testing.T) {
				b := newBench(t)
				instance := b.running(root)
				a := b.do("POST", instance+"/"+task, c.body)
				a.want(http.StatusAccepted)
				require.Empty(t, a.Body)
				o := b.operation(a.path())
				require.Equal(t, []lcm.OperationInput{{OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: c.op}},
					b.starter.starts)
				require.JSONEq(t, c.body, string(o.Params), "the operation has the request as it came")
				doc := b.do("GET", a.path(), nil).want(http.StatusOK)
				require.Equal(t, string(c.op), doc["operation"])
				require.Equal(t, []string{"cancel", "self", "vnfInstance"}, keysOf(doc["_links"]))

				require.Contains(t, b.do("POST", instance+"/"+task, c.body).problem(http.StatusConflict), string(o.ID))
				impossible := b.do("POST", instance+"/scale",
					`{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":999}`)
				impossible.problem(http.StatusConflict) // an operation under way is reported first
			})
		}
	}
}

func TestChanges_reportEveryMistakeOfFormAtOnce(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
	const cluster = "$.additionalParams." + lcm.ClusterParamsKey
	for _, c := range []struct {
		task, body string
		want       []string
	}{
		{"scale", `{}`, []string{"$.type", "$.aspectId"}},
		{
			"scale", `{"type":"UP","aspectId":7,"numberOfSteps":"two","additionalParams":{"vnfc_instance_ids":[1],"scale_in_policy":"any"}}`,
			[]string{
				"$.type", "$.aspectId", "$.numberOfSteps", "$.additionalParams.vnfc_instance_ids[0]",
				"$.additionalParams.scale_in_policy",
			},
		},
		{"scale", `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":1.5}`, []string{"$.numberOfSteps"}},
		{"scale", `{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"ready_timeout":7201}}`, []string{
			"$.additionalParams.ready_timeout",
		}},
		{"scale", `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":0}`, []string{"$.numberOfSteps"}},
		{"scale_to_level", `{"instantiationLevelId":1,"scaleInfo":[{"aspectId":"a","scaleLevel":-1},{}]}`, []string{
			"$.instantiationLevelId", "$.scaleInfo[0].scaleLevel", "$.scaleInfo[1].aspectId", "$.scaleInfo[1].scaleLevel",
		}},
		{"operate", `{}`, []string{"$.changeStateTo"}},
		{"operate", `{"changeStateTo":"PAUSED","stopType":"SOFT","gracefulStopTimeout":"1","vnfcInstanceId":[1],"additionalParams":{"vnfc_instance_ids":{}}}`, []string{
			"$.changeStateTo", "$.stopType", "$.gracefulStopTimeout", "$.vnfcInstanceId[0]",
			"$.additionalParams.vnfc_instance_ids",
		}},
		{
			"operate", `{"changeStateTo":"STARTED","stopType":"GRACEFUL","gracefulStopTimeout":1}`,
			[]string{"$.stopType", "$.gracefulStopTimeout"},
		},
		{"operate", `{"changeStateTo":"STOPPED","stopType":"GRACEFUL"}`, []string{"$.gracefulStopTimeout"}},
		{"operate", `{"changeStateTo":"STOPPED","gracefulStopTimeout":1}`, []string{"$.gracefulStopTimeout"}},
		{
			"heal", `{"vnfcInstanceId":{"id":1},"cause":[],"additionalParams":[]}`,
			[]string{"$.vnfcInstanceId", "$.cause", "$.additionalParams"},
		},
		{"heal", `{"additionalParams":{"k8s_cluster_installation_param":{"master_node":{"username":1,"private_key":[]},"vim_name":"x"}}}`, []string{
			cluster + ".master_node.private_key", cluster + ".master_node.username", cluster + ".vim_name",
		}},
		{"heal", `{"additionalParams":{"k8s_cluster_installation_param":{"worker_node":{"password":{"$secret":"vim/other"},"username":"a b"}}}}`, []string{
			cluster + ".worker_node.username",
		}},
	} {
		a := b.do("POST", instance+"/"+c.task, c.body)
		a.problem(http.StatusBadRequest)
		require.ElementsMatch(t, c.want, a.paths(), c.body)
	}
	for _, task := range []string{"scale", "scale_to_level", "heal", "operate"} {
		b.do("POST", instance+"/"+task, ``).problem(http.StatusBadRequest)
		b.do("POST", instance+"/"+task, `[`).problem(http.StatusBadRequest)
		b.do("POST", instance+"/"+task, `{}`, "Content-Type: text/plain").problem(http.StatusUnsupportedMediaType)
		b.do("GET", instance+"/"+task, nil).problem(http.StatusMethodNotAllowed)
	}
	require.Empty(t, b.starter.starts)
}

func TestChanges_refuseWhatIsNotPossible(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v1")
	for _, c := range []struct {
		task, body string
		status     int
		says       string
	}{
		{"scale", `{"type":"SCALE_OUT","aspectId":"disks"}`, 400, "it has master_instance, worker_instance"},
		{"scale", `{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":47}`, 400, "level 2 of at most 48"},
		{
			"scale", `{"type":"SCALE_IN","aspectId":"worker_instance","additionalParams":{"vnfc_instance_ids":["cp-0"]}}`, 400,
			"vnfc_instance_ids",
		},
		{"scale_to_level", `{}`, 400, "either instantiationLevelId or scaleInfo"},
		{"scale_to_level", `{"instantiationLevelId":"gigantic"}`, 400, "gigantic"},
		{"heal", `{"vnfcInstanceId":["worker-0","nobody"]}`, 400, "$.vnfcInstanceId[1]: the VNF has no VNFC nobody"},
		{"heal", `{"vnfcInstanceId":["cp-0","cp-1","cp-2"]}`, 409, "no quorum"},
		{"operate", `{"changeStateTo":"STOPPED","vnfcInstanceId":["cp-0","cp-1","cp-2"]}`, 409, "lose the quorum"},
		{"operate", `{"changeStateTo":"STOPPED","vnfcInstanceId":["nobody"]}`, 400, "$.vnfcInstanceId[0]"},
	} {
		require.Contains(t, b.do("POST", instance+"/"+c.task, c.body).problem(c.status), c.says, c.body)
	}
	fresh := b.create("/vnflcm/v1", string(b.instance(instance).VnfdID))
	for task, body := range map[string]string{
		"scale":          `{"type":"SCALE_OUT","aspectId":"worker_instance"}`,
		"scale_to_level": `{"instantiationLevelId":"instantiation_level_1"}`, "heal": `{}`,
		"operate": `{"changeStateTo":"STARTED"}`,
	} {
		require.Contains(t, b.do("POST", fresh+"/"+task, body).problem(http.StatusConflict), "not instantiated")
		b.do("POST", fresh+"/"+task, `[]`).problem(http.StatusBadRequest)
		b.do("POST", "/vnflcm/v1/vnf_instances/nothing/"+task, body).problem(http.StatusNotFound)
		b.do("POST", "/vnflcm/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30/"+task, `[]`).problem(http.StatusNotFound)
	}
	require.Empty(t, b.starter.starts)
	require.Empty(t, b.do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).list())
}

func TestHeal_ofTheOnlyControlPlaneIsAConflictThatSaysWhatToDo(t *testing.T) {
	b := newBench(t)
	_, vnfdID := b.onboard()
	instance := b.runs("/vnflcm/v1", vnfdID, "simple", 1, 2)
	require.Contains(t, b.do("POST", instance+"/heal", `{"vnfcInstanceId":["cp-0"]}`).problem(http.StatusConflict),
		"Heal the entire VNF")
	b.do("POST", instance+"/heal", `{}`).want(http.StatusAccepted)
}

func TestChanges_sealTheSecretsOfTheirRequests(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v1")
	before := len(sealed(b))
	body := fmt.Sprintf(`{"cause":"x","additionalParams":{"k8s_cluster_installation_param":{
		"master_node":{"username":"admin","password":"%s-1"},"worker_node":{"private_key":"%s-2"}}}}`, marker, marker)
	a := b.do("POST", instance+"/heal", body)
	a.want(http.StatusAccepted)
	require.Len(t, sealed(b), before+2)
	o := b.operation(a.path())
	require.NotContains(t, string(o.Params), marker)
	require.Equal(t, 2, strings.Count(string(b.do("GET", a.path(), nil).Body), `"***"`))

	heal, err := lcmtest.Read[lcm.HealRequest](o.Params)
	require.NoError(t, err)
	params, wrong := k8s.Read(heal.AdditionalParams)
	require.Empty(t, wrong.Types)
	password, err := b.vault.Get(t.Context(), params.MasterNode.Password.Ref)
	require.NoError(t, err)
	require.Equal(t, marker+"-1", password)

	b.do("POST", instance+"/heal", body).problem(http.StatusConflict)
	require.Len(t, sealed(b), before+2, "those of a refused request are not kept")
}

func TestInstance_linksToItsTasks(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
	href := b.do("GET", instance, nil).want(http.StatusOK)["_links"].(map[string]any)["scaleToLevel"].(map[string]any)["href"]
	require.Equal(t, endpoint+instance+"/scale_to_level", href)
}

func TestScale_ofAVnfWithoutAspectsIsNoTask(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v1")
	inst := b.instance(instance)
	pkg, err := b.store.Package(t.Context(), inst.VnfPkgID)
	require.NoError(t, err)
	vnfd, err := rest.VnfdOf(pkg)
	require.NoError(t, err)
	for i := range vnfd.Flavours {
		vnfd.Flavours[i].Aspects = nil
	}
	pkg.Vnfd, err = json.Marshal(vnfd)
	require.NoError(t, err)
	require.NoError(t, b.store.UpdatePackage(t.Context(), pkg))
	a := b.do("POST", instance+"/scale", `{"type":"SCALE_OUT","aspectId":"worker_instance"}`)
	require.Contains(t, a.problem(http.StatusNotFound), "cannot be scaled")
	b.do("POST", instance+"/heal", `{"vnfcInstanceId":["worker-0"]}`).want(http.StatusAccepted)
}

func TestRollback_isOfferedUntilAServerIsDeleted(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			instance := b.running("/vnflcm/v1")
			a := b.do("POST", instance+"/heal", `{"vnfcInstanceId":["worker-0"]}`)
			path := root + a.path()[len("/vnflcm/v1"):]
			b.do("POST", path+"/rollback", nil).problem(http.StatusConflict)
			b.enter(a.path(), lcm.Processing)
			b.enter(a.path(), lcm.FailedTemp)
			links := func() []string { return keysOf(b.do("GET", path, nil).want(http.StatusOK)["_links"]) }
			require.Equal(t, []string{"fail", "retry", "rollback", "self", "vnfInstance"}, links())

			b.do("POST", path+"/retry", nil).want(http.StatusAccepted)
			b.enter(a.path(), lcm.FailedTemp, func(r *lcm.OperationRecord) { r.ForwardOnly = true })
			require.Equal(t, []string{"fail", "retry", "self", "vnfInstance"}, links())
			require.Equal(t, "Nodes or servers may be deleted already, so the HEAL goes forward only: retry it, or fail it.",
				b.do("POST", path+"/rollback", nil).problem(http.StatusConflict))
			b.enter(a.path(), lcm.FailedTemp)
			require.NotContains(t, links(), "rollback", "it never goes back")
			b.do("POST", path+"/retry", nil).want(http.StatusAccepted)
			require.Equal(t, []lcm.Action{lcm.Retry, lcm.Retry}, b.starter.acts)
		})
	}
}

func TestChanges_ofAVnfThatIsStoppedAreConflicts(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v2")
	inst := b.instance(instance)
	inst.Instantiated.Switch(lcm.VnfStopped, []string{"worker-0"}, nil)
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	states := map[string]string{}
	info := b.do("GET", instance, nil).want(http.StatusOK)["instantiatedVnfInfo"].(map[string]any)
	require.Equal(t, "STARTED", info["vnfState"])
	for _, v := range info["vnfcInfo"].([]any) {
		vnfc := v.(map[string]any)
		states[vnfc["vnfcResourceInfoId"].(string)] = vnfc["vnfcState"].(string)
	}
	require.Equal(t, "STOPPED", states["worker-0"])
	require.Equal(t, "STARTED", states["worker-1"])

	inst = b.instance(instance)
	for _, v := range inst.Instantiated.VnfcResources {
		inst.Instantiated.Switch(lcm.VnfStopped, []string{v.ID}, nil)
	}
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	for task, body := range map[string]string{
		"scale":          `{"type":"SCALE_OUT","aspectId":"worker_instance"}`,
		"scale_to_level": `{"instantiationLevelId":"instantiation_level_1"}`, "heal": `{}`,
	} {
		require.Contains(t, b.do("POST", instance+"/"+task, body).problem(http.StatusConflict), "start it first")
	}
	b.do("POST", "/windlass/v1"+instance[len("/vnflcm/v2"):]+"/plan",
		`{"operation":"OPERATE","request":{"changeStateTo":"STARTED"}}`).want(http.StatusOK)
	b.do("POST", instance+"/operate", `{"changeStateTo":"STARTED"}`).want(http.StatusAccepted)
}

func TestChanges_areHeldAgainstTheOperationsConfigurationOfTheVnfd(t *testing.T) {
	b := newBench(t)
	instance := b.running("/vnflcm/v1")
	pkg, err := b.store.Package(t.Context(), b.instance(instance).VnfPkgID)
	require.NoError(t, err)
	vnfd, err := rest.VnfdOf(pkg)
	require.NoError(t, err)
	for i := range vnfd.Flavours {
		vnfd.Flavours[i].LcmOperations = &descriptor.LcmOperations{
			SeveralSteps: new(false), AnyLevels: new(false), HealCauses: []string{"power"}, MinTermination: 30, MinStop: 20,
		}
	}
	pkg.Vnfd, err = json.Marshal(vnfd)
	require.NoError(t, err)
	require.NoError(t, b.store.UpdatePackage(t.Context(), pkg))
	for body, task := range map[string]string{
		`{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":2}`:       "scale $.numberOfSteps",
		`{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":3}]}`:             "scale_to_level $.scaleInfo",
		`{"cause":"boredom","vnfcInstanceId":["worker-0"]}`:                         "heal $.cause",
		`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":5}`: "operate $.gracefulStopTimeout",
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":29}`:            "terminate $.gracefulTerminationTimeout",
	} {
		task, path, _ := strings.Cut(task, " ")
		a := b.do("POST", instance+"/"+task, body)
		a.problem(http.StatusBadRequest)
		require.Equal(t, []string{path}, a.paths(), body)
		a = b.do("POST", planPath(instance), `{"operation":"`+strings.ToUpper(task)+`","request":`+body+`}`)
		a.problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.request" + path[1:]}, a.paths(), "a plan refuses what the operation refuses")
	}
	require.Empty(t, b.starter.starts)
	b.do("POST", instance+"/terminate",
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":30}`).want(http.StatusAccepted)
}
