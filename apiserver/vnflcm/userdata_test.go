package vnflcm_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestInstantiate_takesUserDataThatIsBuiltInOnly(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	params := request["additionalParams"].(map[string]any)
	with := func(script, class any) servertest.Answer {
		delete(params, lcm.UserDataParam)
		delete(params, lcm.UserDataClassParam)
		if script != nil {
			params[lcm.UserDataParam] = script
		}
		if class != nil {
			params[lcm.UserDataClassParam] = class
		}
		return b.Do("POST", instance+"/instantiate", request)
	}
	refused := with("./UserData/own.py", "OwnUserData")
	require.Contains(t, refused.Problem(http.StatusUnprocessableEntity), "userData.python")
	require.Equal(t, []string{"$.additionalParams.lcm-operation-user-data-class"}, refused.Paths())
	with("./UserData/own.py", nil).Problem(http.StatusBadRequest)
	with(nil, "SampleUserData").Problem(http.StatusBadRequest)
	refused = with("./UserData/userdata_standard.py", "StandardUserData")
	require.Contains(t, refused.Problem(http.StatusBadRequest), "name the VDU of these nodes")
	require.Contains(t, refused.Paths(), "$.additionalParams.lcm-operation-user-data-class",
		"nor are the templates made for it")
	with("./UserData/x.py", 7).Problem(http.StatusBadRequest)
	with("./UserData/k8s_cluster_user_data.py", "KubernetesClusterUserData").Want(http.StatusAccepted)
}

func TestInstantiate_takesUserDataOfThePackageWherePythonIsRun(t *testing.T) {
	b := servertest.New(t, func(o *apiserver.Options) { o.Python = true })
	instance, request := b.Ready("/vnflcm/v1")
	params := request["additionalParams"].(map[string]any)
	with := func(script, class string) servertest.Answer {
		params[lcm.UserDataParam], params[lcm.UserDataClassParam] = script, class
		return b.Do("POST", instance+"/instantiate", request)
	}
	for _, class := range []string{"OwnUserData", "SampleUserData"} {
		refused := with("./UserData/own.py", class)
		require.Contains(t, refused.Problem(http.StatusUnprocessableEntity), `no file "UserData/own.py"`)
		require.Equal(t, []string{"$.additionalParams.lcm-operation-user-data"}, refused.Paths())
	}
	with("./UserData/own.sh", "OwnUserData").Problem(http.StatusBadRequest)
	with("../../etc/own.py", "DefaultUserData").Want(http.StatusAccepted)
}

func TestInstantiate_refusesNetworksForLinksThatTheVnfdDoesNotHave(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	for _, name := range []string{"vnfVirtualLinkDescId", "virtualLinkDescId"} {
		request["extManagedVirtualLinks"] = []any{map[string]any{
			"id": "m", name: "nothing", "resourceId": "net", "vimConnectionId": "elsewhere",
		}}
		refused := b.Do("POST", instance+"/instantiate", request)
		require.Contains(t, refused.Problem(http.StatusBadRequest), `no internal virtual link "nothing"`)
		require.Equal(t, []string{
			"$.extManagedVirtualLinks[0].vimConnectionId",
			"$.extManagedVirtualLinks[0].vnfVirtualLinkDescId",
		}, refused.Paths())
	}
}

func TestInstantiate_leavesMissingNetworksToTheNFVOThatGrants(t *testing.T) {
	for _, granted := range []bool{false, true} {
		b := servertest.New(t, func(o *apiserver.Options) { o.GrantedByNFVO = granted })
		instance, request := b.Ready("/vnflcm/v1")
		delete(request, "extVirtualLinks")
		a := b.Do("POST", instance+"/instantiate", request)
		if granted {
			a.Want(http.StatusAccepted)
			continue
		}
		require.Contains(t, a.Problem(http.StatusBadRequest), "needs a network")
	}
}

func TestInstantiate_leavesTheVimToTheNFVOThatGrants(t *testing.T) {
	for _, granted := range []bool{false, true} {
		b := servertest.New(t, func(o *apiserver.Options) { o.GrantedByNFVO = granted })
		_, vnfdID := b.Onboard()
		b.RegisterVim("lab", false)
		instance, request := b.Create("/vnflcm/v1", vnfdID), servertest.ClusterRequest("")
		delete(request, "vimConnectionInfo")
		a := b.Do("POST", instance+"/instantiate", request)
		if granted {
			a.Want(http.StatusAccepted)
			require.Empty(t, b.Instance(instance).VimConnections)
			continue
		}
		require.Contains(t, a.Problem(http.StatusUnprocessableEntity), "no VIM is registered as the default one")
	}
}

func TestInstantiate_refusesScaleLevelsOfLaterVersions(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	request["targetScaleLevelInfo"] = []any{map[string]any{"aspectId": "worker_instance", "scaleLevel": 1}}
	refused := b.Do("POST", instance+"/instantiate", request)
	refused.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"$.targetScaleLevelInfo"}, refused.Paths())
}
