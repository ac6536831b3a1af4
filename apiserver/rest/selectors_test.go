package rest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

// standardAttributes are the attributes in ETSI's definitions: SOL003 v2.4.1 and v3.3.1, SOL005 v2.4.1.
var standardAttributes = map[string][]string{
	"/vnflcm/v1/vnf_instances": {
		"id", "vnfInstanceName", "vnfInstanceDescription", "vnfdId", "vnfProvider", "vnfProductName", "vnfSoftwareVersion",
		"vnfdVersion", "vnfPkgId",
		"vnfConfigurableProperties", "vimConnectionInfo", "instantiationState", "instantiatedVnfInfo", "metadata",
		"extensions", "_links",
	},
	"/vnflcm/v2/vnf_instances": {
		"id", "vnfInstanceName", "vnfInstanceDescription", "vnfdId", "vnfProvider", "vnfProductName", "vnfSoftwareVersion",
		"vnfdVersion",
		"vnfConfigurableProperties", "vimConnectionInfo", "instantiationState", "instantiatedVnfInfo", "metadata",
		"extensions", "_links",
	},
	"/vnflcm/v1/vnf_lcm_op_occs": {
		"id", "operationState", "stateEnteredTime", "startTime", "vnfInstanceId", "grantId", "operation",
		"isAutomaticInvocation", "operationParams",
		"isCancelPending", "cancelMode", "error", "resourceChanges", "changedInfo", "changedExtConnectivity", "_links",
	},
	"/vnflcm/v2/vnf_lcm_op_occs": {
		"id", "operationState", "stateEnteredTime", "startTime", "vnfInstanceId", "grantId", "operation",
		"isAutomaticInvocation", "operationParams",
		"isCancelPending", "cancelMode", "error", "resourceChanges", "changedInfo", "changedExtConnectivity",
		"modificationsTriggeredByVnfPkgChange",
		"vnfSnapshotInfoId", "_links",
	},
	"/vnflcm/v2/vnf_snapshots":  {"id", "vnfSnapshotPkgId", "vnfSnapshot", "_links"},
	"/vnflcm/v1/subscriptions":  {"id", "filter", "callbackUri", "_links"},
	"/vnflcm/v2/subscriptions":  {"id", "filter", "callbackUri", "verbosity", "_links"},
	"/vnfpkgm/v1/subscriptions": {"id", "filter", "callbackUri", "_links"},
	"/vnfpkgm/v1/vnf_packages":  packageAttributes,

	"/vnfpkgm/v1/onboarded_vnf_packages": packageAttributes,
}

var packageAttributes = []string{
	"id", "vnfdId", "vnfProvider", "vnfProductName", "vnfSoftwareVersion", "vnfdVersion", "checksum", "softwareImages",
	"additionalArtifacts",
	"onboardingState", "operationalState", "usageState", "userDefinedData", "onboardingFailureDetails", "_links",
	"warnings", // an attribute of Windlass only
}

func TestSelectors_refuseAttributesThatTheResourceDoesNotHave(t *testing.T) {
	b := servertest.New(t)
	b.Running("/vnflcm/v2")
	for list, known := range standardAttributes {
		params := []string{"filter", "fields", "exclude_fields"}
		if strings.HasSuffix(list, "/subscriptions") {
			params = params[:1]
		}
		for _, param := range params {
			ask := func(path string) servertest.Answer {
				if param == "filter" {
					path = "(neq," + path + ",x)"
				}
				return b.Do("GET", list+"?"+param+"="+url.QueryEscape(path), nil)
			}
			for _, name := range known {
				ask(name).List()
				ask(name + "/anything/below").List()
			}
			for _, wrong := range []string{"wrong_field", "ID", "id~1x", "wrong_field/id"} {
				a := ask(wrong)
				require.Contains(t, a.Problem(http.StatusBadRequest), "which is not an attribute of this resource", "%s of %s",
					wrong, list)
				require.Equal(t, []string{param}, a.Paths(), list)
			}
		}
	}
	a := b.Do("GET", "/vnflcm/v1/vnf_instances?fields=id,wrong_field,metadata/a,worse", nil)
	a.Problem(http.StatusBadRequest)
	require.Equal(t, []string{"fields", "fields"}, a.Paths(), "every mistake is told")
}

// TestSelectors_goIntoArrays checks that a selector includes or excludes the same members in every item of an array.
func TestSelectors_goIntoArrays(t *testing.T) {
	b := servertest.New(t)
	b.Running("/vnflcm/v2")
	const vnfcs, states = "instantiatedVnfInfo/vnfcResourceInfo", "instantiatedVnfInfo/vnfcInfo/vnfcState"
	for _, query := range []string{"fields=" + vnfcs + "/id," + vnfcs + "/computeResource/resourceId", "fields=" + vnfcs +
		"/id," + vnfcs + "/computeResource/resourceId&exclude_default"} {
		item := b.Do("GET", "/vnflcm/v2/vnf_instances?"+query, nil).List()[0]
		info := item["instantiatedVnfInfo"].(map[string]any)
		require.Len(t, info, 1)
		list := info["vnfcResourceInfo"].([]any)
		require.NotEmpty(t, list)
		for _, v := range list {
			vnfc := v.(map[string]any)
			require.Len(t, vnfc, 2)
			require.NotEmpty(t, vnfc["id"])
			require.Len(t, vnfc["computeResource"], 1)
		}
	}
	item := b.Do("GET", "/vnflcm/v2/vnf_instances?exclude_fields="+states, nil).List()[0]
	for _, v := range item["instantiatedVnfInfo"].(map[string]any)["vnfcInfo"].([]any) {
		require.NotContains(t, v, "vnfcState")
		require.Contains(t, v, "id")
	}
}
