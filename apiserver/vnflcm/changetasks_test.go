package vnflcm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

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
				b := servertest.New(t)
				instance := b.Running(root)
				a := b.Do("POST", instance+"/"+task, c.body)
				a.Want(http.StatusAccepted)
				require.Empty(t, a.Body)
				o := b.Operation(a.Path())
				require.Equal(t, []lcm.OperationInput{{OpOccID: o.ID, VnfInstanceID: o.VnfInstanceID, Operation: c.op}},
					b.Starter.Starts)
				require.JSONEq(t, c.body, string(o.Params), "the operation has the request as it came")
				doc := b.Do("GET", a.Path(), nil).Want(http.StatusOK)
				require.Equal(t, string(c.op), doc["operation"])
				require.Equal(t, []string{"cancel", "self", "vnfInstance"}, keysOf(doc["_links"]))

				require.Contains(t, b.Do("POST", instance+"/"+task, c.body).Problem(http.StatusConflict), string(o.ID))
				impossible := b.Do("POST", instance+"/scale",
					`{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":999}`)
				impossible.Problem(http.StatusConflict) // an operation under way is reported first
			})
		}
	}
}

func TestChanges_reportEveryMistakeOfFormAtOnce(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	const cluster = "$.additionalParams." + k8s.ParamsKey
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
		a := b.Do("POST", instance+"/"+c.task, c.body)
		a.Problem(http.StatusBadRequest)
		require.ElementsMatch(t, c.want, a.Paths(), c.body)
	}
	for _, task := range []string{"scale", "scale_to_level", "heal", "operate"} {
		b.Do("POST", instance+"/"+task, ``).Problem(http.StatusBadRequest)
		b.Do("POST", instance+"/"+task, `[`).Problem(http.StatusBadRequest)
		b.Do("POST", instance+"/"+task, `{}`, "Content-Type: text/plain").Problem(http.StatusUnsupportedMediaType)
		b.Do("GET", instance+"/"+task, nil).Problem(http.StatusMethodNotAllowed)
	}
	require.Empty(t, b.Starter.Starts)
}

func TestChanges_refuseWhatIsNotPossible(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v1")
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
		require.Contains(t, b.Do("POST", instance+"/"+c.task, c.body).Problem(c.status), c.says, c.body)
	}
	fresh := b.Create("/vnflcm/v1", string(b.Instance(instance).VnfdID))
	for task, body := range map[string]string{
		"scale":          `{"type":"SCALE_OUT","aspectId":"worker_instance"}`,
		"scale_to_level": `{"instantiationLevelId":"instantiation_level_1"}`, "heal": `{}`,
		"operate": `{"changeStateTo":"STARTED"}`,
	} {
		require.Contains(t, b.Do("POST", fresh+"/"+task, body).Problem(http.StatusConflict), "not instantiated")
		b.Do("POST", fresh+"/"+task, `[]`).Problem(http.StatusBadRequest)
		b.Do("POST", "/vnflcm/v1/vnf_instances/nothing/"+task, body).Problem(http.StatusNotFound)
		b.Do("POST", "/vnflcm/v1/vnf_instances/5c9b7a3e-1f2d-4f0e-9d58-3c1f8e1a2b30/"+task, `[]`).Problem(http.StatusNotFound)
	}
	require.Empty(t, b.Starter.Starts)
	require.Empty(t, b.Do("GET", "/vnflcm/v1/vnf_lcm_op_occs", nil).List())
}

func TestHeal_ofTheOnlyControlPlaneIsAConflictThatSaysWhatToDo(t *testing.T) {
	b := servertest.New(t)
	_, vnfdID := b.Onboard()
	instance := b.Runs("/vnflcm/v1", vnfdID, "simple", 1, 2)
	require.Contains(t, b.Do("POST", instance+"/heal", `{"vnfcInstanceId":["cp-0"]}`).Problem(http.StatusConflict),
		"Heal the entire VNF")
	b.Do("POST", instance+"/heal", `{}`).Want(http.StatusAccepted)
}

func TestChanges_sealTheSecretsOfTheirRequests(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v1")
	before := len(b.Sealed())
	body := fmt.Sprintf(`{"cause":"x","additionalParams":{"k8s_cluster_installation_param":{
		"master_node":{"username":"admin","password":"%s-1"},"worker_node":{"private_key":"%s-2"}}}}`, servertest.Marker, servertest.Marker)
	a := b.Do("POST", instance+"/heal", body)
	a.Want(http.StatusAccepted)
	require.Len(t, b.Sealed(), before+2)
	o := b.Operation(a.Path())
	require.NotContains(t, string(o.Params), servertest.Marker)
	require.Equal(t, 2, strings.Count(string(b.Do("GET", a.Path(), nil).Body), `"***"`))

	heal, err := lcmtest.Read[lcm.HealRequest](o.Params)
	require.NoError(t, err)
	params, wrong := k8s.Read(heal.AdditionalParams)
	require.Empty(t, wrong.Types)
	password, err := b.Vault.Get(t.Context(), params.MasterNode.Password.Ref)
	require.NoError(t, err)
	require.Equal(t, servertest.Marker+"-1", password)

	b.Do("POST", instance+"/heal", body).Problem(http.StatusConflict)
	require.Len(t, b.Sealed(), before+2, "those of a refused request are not kept")
}

func TestInstance_linksToItsTasks(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	href := b.Do("GET", instance, nil).Want(http.StatusOK)["_links"].(map[string]any)["scaleToLevel"].(map[string]any)["href"]
	require.Equal(t, servertest.Endpoint+instance+"/scale_to_level", href)
}

func TestScale_ofAVnfWithoutAspectsIsNoTask(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v1")
	inst := b.Instance(instance)
	pkg, err := b.Store.Package(t.Context(), inst.VnfPkgID)
	require.NoError(t, err)
	vnfd, err := rest.VnfdOf(pkg)
	require.NoError(t, err)
	for i := range vnfd.Flavours {
		vnfd.Flavours[i].Aspects = nil
	}
	pkg.Vnfd, err = json.Marshal(vnfd)
	require.NoError(t, err)
	require.NoError(t, b.Store.UpdatePackage(t.Context(), pkg))
	a := b.Do("POST", instance+"/scale", `{"type":"SCALE_OUT","aspectId":"worker_instance"}`)
	require.Contains(t, a.Problem(http.StatusNotFound), "cannot be scaled")
	b.Do("POST", instance+"/heal", `{"vnfcInstanceId":["worker-0"]}`).Want(http.StatusAccepted)
}

func TestRollback_isOfferedUntilAServerIsDeleted(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			instance := b.Running("/vnflcm/v1")
			a := b.Do("POST", instance+"/heal", `{"vnfcInstanceId":["worker-0"]}`)
			path := root + a.Path()[len("/vnflcm/v1"):]
			b.Do("POST", path+"/rollback", nil).Problem(http.StatusConflict)
			b.Enter(a.Path(), lcm.Processing)
			b.Enter(a.Path(), lcm.FailedTemp)
			links := func() []string { return keysOf(b.Do("GET", path, nil).Want(http.StatusOK)["_links"]) }
			require.Equal(t, []string{"fail", "retry", "rollback", "self", "vnfInstance"}, links())

			b.Do("POST", path+"/retry", nil).Want(http.StatusAccepted)
			b.Enter(a.Path(), lcm.FailedTemp, func(r *lcm.OperationRecord) { r.ForwardOnly = true })
			require.Equal(t, []string{"fail", "retry", "self", "vnfInstance"}, links())
			require.Equal(t, "Nodes or servers may be deleted already, so the HEAL goes forward only: retry it, or fail it.",
				b.Do("POST", path+"/rollback", nil).Problem(http.StatusConflict))
			b.Enter(a.Path(), lcm.FailedTemp)
			require.NotContains(t, links(), "rollback", "it never goes back")
			b.Do("POST", path+"/retry", nil).Want(http.StatusAccepted)
			require.Equal(t, []lcm.Action{lcm.Retry, lcm.Retry}, b.Starter.Acts)
		})
	}
}

func TestChanges_ofAVnfThatIsStoppedAreConflicts(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v2")
	inst := b.Instance(instance)
	inst.Instantiated.Switch(lcm.VnfStopped, []string{"worker-0"}, nil)
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	states := map[string]string{}
	info := b.Do("GET", instance, nil).Want(http.StatusOK)["instantiatedVnfInfo"].(map[string]any)
	require.Equal(t, "STARTED", info["vnfState"])
	for _, v := range info["vnfcInfo"].([]any) {
		vnfc := v.(map[string]any)
		states[vnfc["vnfcResourceInfoId"].(string)] = vnfc["vnfcState"].(string)
	}
	require.Equal(t, "STOPPED", states["worker-0"])
	require.Equal(t, "STARTED", states["worker-1"])

	inst = b.Instance(instance)
	for _, v := range inst.Instantiated.VnfcResources {
		inst.Instantiated.Switch(lcm.VnfStopped, []string{v.ID}, nil)
	}
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	for task, body := range map[string]string{
		"scale":          `{"type":"SCALE_OUT","aspectId":"worker_instance"}`,
		"scale_to_level": `{"instantiationLevelId":"instantiation_level_1"}`, "heal": `{}`,
	} {
		require.Contains(t, b.Do("POST", instance+"/"+task, body).Problem(http.StatusConflict), "start it first")
	}
	b.Do("POST", "/windlass/v1"+instance[len("/vnflcm/v2"):]+"/plan",
		`{"operation":"OPERATE","request":{"changeStateTo":"STARTED"}}`).Want(http.StatusOK)
	b.Do("POST", instance+"/operate", `{"changeStateTo":"STARTED"}`).Want(http.StatusAccepted)
}

func TestChanges_areHeldAgainstTheOperationsConfigurationOfTheVnfd(t *testing.T) {
	b := servertest.New(t)
	instance := b.Running("/vnflcm/v1")
	pkg, err := b.Store.Package(t.Context(), b.Instance(instance).VnfPkgID)
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
	require.NoError(t, b.Store.UpdatePackage(t.Context(), pkg))
	for body, task := range map[string]string{
		`{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":2}`:       "scale $.numberOfSteps",
		`{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":3}]}`:             "scale_to_level $.scaleInfo",
		`{"cause":"boredom","vnfcInstanceId":["worker-0"]}`:                         "heal $.cause",
		`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":5}`: "operate $.gracefulStopTimeout",
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":29}`:            "terminate $.gracefulTerminationTimeout",
	} {
		task, path, _ := strings.Cut(task, " ")
		a := b.Do("POST", instance+"/"+task, body)
		a.Problem(http.StatusBadRequest)
		require.Equal(t, []string{path}, a.Paths(), body)
		a = b.Do("POST", planPath(instance), `{"operation":"`+strings.ToUpper(task)+`","request":`+body+`}`)
		a.Problem(http.StatusBadRequest)
		require.Equal(t, []string{"$.request" + path[1:]}, a.Paths(), "a plan refuses what the operation refuses")
	}
	require.Empty(t, b.Starter.Starts)
	b.Do("POST", instance+"/terminate",
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":30}`).Want(http.StatusAccepted)
}
