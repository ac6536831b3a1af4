package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// twoServers creates an instance of the sample without templates, of its flavour simple.
func twoServers(b *servertest.Bench, root, vnfdID string) (instance string) {
	b.Helper()
	instance = b.Create(root, vnfdID)
	b.Change(instance, func(i *lcm.VnfInstance) {
		server := func(id, vdu string) lcm.VnfcResourceInfo {
			return lcm.VnfcResourceInfo{
				ID: id, VduID: vdu, ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: id},
			}
		}
		i.InstantiationState = lcm.Instantiated
		i.Instantiated = &lcm.InstantiatedVnfInfo{
			FlavourID: "simple", InstantiationLevelID: "small", VnfState: lcm.VnfStarted,
			VnfcResources: []lcm.VnfcResourceInfo{server("f", "frontend"), server("d", "database")},
			ExtVirtualLinks: []lcm.ExtVirtualLink{{
				ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "frontend_public"}},
			}},
		}
	})
	return instance
}

func TestChangeFlavour_beginsInBothVersions(t *testing.T) {
	b := servertest.New(t)
	b.RegisterVim("default", true)
	vnfdID := b.OnboardDir("../../vnfpkg/samples/tosca-only")
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		instance := twoServers(b, root, vnfdID)
		request := map[string]any{
			"newFlavourId": "wide", "instantiationLevelId": "large",
			"additionalParams": map[string]any{"node_password": servertest.Marker},
		}
		var plan struct {
			Sizes   []lcm.GroupChange
			Leaving []any
		}
		a := b.Do("POST", "/windlass/v1/vnf_instances/"+string(b.Instance(instance).ID)+"/plan",
			map[string]any{"operation": "CHANGE_FLAVOUR", "request": request})
		a.Want(http.StatusOK)
		require.NoError(t, json.Unmarshal(a.Body, &plan))
		require.Contains(t, string(a.Body), "Change the infrastructure to the new flavour")
		require.Empty(t, plan.Leaving)

		a = b.Do("POST", instance+"/change_flavour", request)
		a.Want(http.StatusAccepted)
		op := b.Operation(a.Path())
		require.Equal(t, lcm.OpChangeFlavour, op.Operation)
		require.Equal(t, lcm.Starting, op.State)
		require.NotContains(t, string(op.Params)+string(op.Request), servertest.Marker)
		b.Do("POST", instance+"/change_flavour", request).Problem(http.StatusConflict)
	}
}

func TestChangeFlavour_refusesWhatCannotBe(t *testing.T) {
	b := servertest.New(t)
	b.RegisterVim("default", true)
	vnfdID := b.OnboardDir("../../vnfpkg/samples/tosca-only")
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		instance := twoServers(b, root, vnfdID)
		for _, c := range []struct {
			body   string
			status int
			says   string
		}{
			{`{}`, 400, "$.newFlavourId"},
			{`{"newFlavourId":"tiny"}`, 422, "$.newFlavourId"},
			{`{"newFlavourId":"simple"}`, 409, "has the flavour simple already"},
			{`{"newFlavourId":"wide","instantiationLevelId":"huge"}`, 400, "$.instantiationLevelId"},
			{`{"newFlavourId":"sized"}`, 400, "the connection point VDU1_CP1 needs a network"},
			{`{"newFlavourId":"wide","vimConnectionInfo":null}`, 400, "$.vimConnectionInfo"},
			{
				`{"newFlavourId":"wide","additionalParams":{"lcm-operation-user-data":"./UserData/lcm_user_data.py",` +
					`"lcm-operation-user-data-class":"StandardUserData"}}`, 400, "lcm-operation-user-data-class",
			},
		} {
			a := b.Do("POST", instance+"/change_flavour", c.body)
			require.Equal(t, c.status, a.Status, "%s: %s", c.body, a.Body)
			require.Contains(t, string(a.Body), c.says, c.body)
		}
		fresh := b.Create(root, string(b.Instance(instance).VnfdID))
		require.Contains(t, b.Do("POST", fresh+"/change_flavour", `{"newFlavourId":"wide"}`).Problem(http.StatusConflict),
			"not instantiated")
		b.Change(instance, func(i *lcm.VnfInstance) { i.Instantiated.VnfState = lcm.VnfStopped })
		require.Contains(t, b.Do("POST", instance+"/change_flavour", `{"newFlavourId":"wide"}`).Problem(http.StatusConflict),
			"is stopped")
	}
	cluster := b.Running("/vnflcm/v1")
	require.Contains(t, b.Do("POST", cluster+"/change_flavour", `{"newFlavourId":"simple"}`).Problem(http.StatusConflict),
		"its servers are the nodes of a Kubernetes cluster")
	require.Empty(t, b.Starter.Starts)
}
