package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestInstantiate_takesUserDataThatIsBuiltInOnly(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	params := request["additionalParams"].(map[string]any)
	with := func(script, class any) answer {
		delete(params, lcm.UserDataParam)
		delete(params, lcm.UserDataClassParam)
		if script != nil {
			params[lcm.UserDataParam] = script
		}
		if class != nil {
			params[lcm.UserDataClassParam] = class
		}
		return b.do("POST", instance+"/instantiate", request)
	}
	refused := with("./UserData/own.py", "OwnUserData")
	require.Contains(t, refused.problem(http.StatusUnprocessableEntity), "userData.python")
	require.Equal(t, []string{"$.additionalParams.lcm-operation-user-data-class"}, refused.paths())
	with("./UserData/own.py", nil).problem(http.StatusBadRequest)
	with(nil, "SampleUserData").problem(http.StatusBadRequest)
	refused = with("./UserData/userdata_standard.py", "StandardUserData")
	require.Contains(t, refused.problem(http.StatusBadRequest), "name the VDU of these nodes")
	require.Contains(t, refused.paths(), "$.additionalParams.lcm-operation-user-data-class",
		"nor are the templates made for it")
	with("./UserData/x.py", 7).problem(http.StatusBadRequest)
	with("./UserData/k8s_cluster_user_data.py", "KubernetesClusterUserData").want(http.StatusAccepted)
}

func TestInstantiate_takesUserDataOfThePackageWherePythonIsRun(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Python = true })
	instance, request := b.ready("/vnflcm/v1")
	params := request["additionalParams"].(map[string]any)
	with := func(script, class string) answer {
		params[lcm.UserDataParam], params[lcm.UserDataClassParam] = script, class
		return b.do("POST", instance+"/instantiate", request)
	}
	for _, class := range []string{"OwnUserData", "SampleUserData"} {
		refused := with("./UserData/own.py", class)
		require.Contains(t, refused.problem(http.StatusUnprocessableEntity), `no file "UserData/own.py"`)
		require.Equal(t, []string{"$.additionalParams.lcm-operation-user-data"}, refused.paths())
	}
	with("./UserData/own.sh", "OwnUserData").problem(http.StatusBadRequest)
	with("../../etc/own.py", "DefaultUserData").want(http.StatusAccepted)
}

func TestInstantiate_refusesNetworksForLinksThatTheVnfdDoesNotHave(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	for _, name := range []string{"vnfVirtualLinkDescId", "virtualLinkDescId"} {
		request["extManagedVirtualLinks"] = []any{map[string]any{
			"id": "m", name: "nothing", "resourceId": "net", "vimConnectionId": "elsewhere",
		}}
		refused := b.do("POST", instance+"/instantiate", request)
		require.Contains(t, refused.problem(http.StatusBadRequest), `no internal virtual link "nothing"`)
		require.Equal(t, []string{
			"$.extManagedVirtualLinks[0].vimConnectionId",
			"$.extManagedVirtualLinks[0].vnfVirtualLinkDescId",
		}, refused.paths())
	}
}

func TestInstantiate_leavesMissingNetworksToTheNFVOThatGrants(t *testing.T) {
	for _, granted := range []bool{false, true} {
		b := newBench(t, func(o *Options) { o.GrantedByNFVO = granted })
		instance, request := b.ready("/vnflcm/v1")
		delete(request, "extVirtualLinks")
		a := b.do("POST", instance+"/instantiate", request)
		if granted {
			a.want(http.StatusAccepted)
			continue
		}
		require.Contains(t, a.problem(http.StatusBadRequest), "needs a network")
	}
}

func TestInstantiate_leavesTheVimToTheNFVOThatGrants(t *testing.T) {
	for _, granted := range []bool{false, true} {
		b := newBench(t, func(o *Options) { o.GrantedByNFVO = granted })
		_, vnfdID := b.onboard()
		b.registerVim("lab", false)
		instance, request := b.create("/vnflcm/v1", vnfdID), clusterRequest("")
		delete(request, "vimConnectionInfo")
		a := b.do("POST", instance+"/instantiate", request)
		if granted {
			a.want(http.StatusAccepted)
			require.Empty(t, b.instance(instance).VimConnections)
			continue
		}
		require.Contains(t, a.problem(http.StatusUnprocessableEntity), "no VIM is registered as the default one")
	}
}

func TestInstantiate_refusesScaleLevelsOfLaterVersions(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	request["targetScaleLevelInfo"] = []any{map[string]any{"aspectId": "worker_instance", "scaleLevel": 1}}
	refused := b.do("POST", instance+"/instantiate", request)
	refused.problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.targetScaleLevelInfo"}, refused.paths())
}
