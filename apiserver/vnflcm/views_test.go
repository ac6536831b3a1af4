package vnflcm

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/apitest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

const endpoint = "https://vnfm.example:9890"

func TestResourcesLookAsTheStandardSaysInBothVersions(t *testing.T) {
	for _, d := range []*dialect{&dialectV1, &dialectV2} {
		suffix := map[int]string{1: "_v1", 2: "_v2"}[d.Number]
		apitest.Golden(t, "vnf_instance"+suffix, d.vnfInstance(endpoint, apitest.Instance()))
		opOcc, err := d.opOcc(endpoint, apitest.Operation())
		require.NoError(t, err)
		apitest.Golden(t, "vnf_lcm_op_occ"+suffix, opOcc)
	}
}

func TestAForcefulCancelUnderWayHasNoLinkToAnother(t *testing.T) {
	o := apitest.Operation()
	o.State = lcm.Processing
	for mode, linked := range map[lcm.CancelMode]bool{"": true, lcm.Graceful: true, lcm.Forceful: false} {
		o.IsCancelPending, o.CancelMode = mode != "", mode
		v, err := dialectV2.opOcc(endpoint, o)
		require.NoError(t, err)
		if linked {
			require.Contains(t, v.Links, "cancel")
		} else {
			require.NotContains(t, v.Links, "cancel", "it would be a 409")
		}
	}
}

func TestParametersSurviveTheWayThroughTheOtherVersion(t *testing.T) {
	there, err := dialectV2.operationParams(apitest.Operation().Params)
	require.NoError(t, err)
	back, err := dialectV1.operationParams(there)
	require.NoError(t, err)
	require.Contains(t, string(there), `"vimConnectionInfo":{"vim1":`)
	require.Contains(t, string(back), `"vimConnectionInfo":[{"id":"vim1"`)
	none, err := dialectV1.operationParams(nil)
	require.NoError(t, err)
	require.Nil(t, none)
}

func FuzzOperationParamsNeverPanic(f *testing.F) {
	f.Add([]byte(`{"flavourId":"ha","vimConnectionInfo":[{"id":"a"}],"extVirtualLinks":[{"id":1}]}`))
	f.Add([]byte(`{"flavourId":"ha","vimConnectionInfo":{"a":{"vimType":"x"}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range []*dialect{&dialectV1, &dialectV2} {
			if _, err := d.operationParams(body); err != nil {
				require.NotEmpty(t, err.Error())
			}
		}
	})
}

// TestInstanceView_showsAllOfAFullInstance checks that an instance with all attributes shows everything that filters
// can use.
func TestInstanceView_showsAllOfAFullInstance(t *testing.T) {
	inst := apitest.FullInstance("vnfd", "pkg")
	requireFull(t, "", reflect.ValueOf(dialectV1.vnfInstance(endpoint, inst)), ".InstantiatedVnfInfo.VnfcInfo",
		".InstantiatedVnfInfo.ExtVirtualLinks.CurrentVnfExtCpData",
		".InstantiatedVnfInfo.VirtualLinks.VnfLinkPorts.CpInstanceType",
		".InstantiatedVnfInfo.VnfcResourceInfo.ConfigurableProperties")
	requireFull(t, "", reflect.ValueOf(dialectV2.vnfInstance(endpoint, inst)), ".VnfPkgID",
		".InstantiatedVnfInfo.VnfcResourceInfo.ConfigurableProperties")
}

// TestOperationView_hasTheAttributesThatFiltersAreTestedWith checks the list of attributes with which the tests of
// filters in package apiserver create operations.
func TestOperationView_hasTheAttributesThatFiltersAreTestedWith(t *testing.T) {
	var names []string
	for field := range reflect.TypeFor[opOccView]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	require.ElementsMatch(t, []string{
		"id", "operationState", "stateEnteredTime", "startTime", "vnfInstanceId", "grantId", "operation",
		"isAutomaticInvocation", "operationParams",
		"isCancelPending", "cancelMode", "error", "resourceChanges", "changedInfo", "changedExtConnectivity", "_links",
		"modificationsTriggeredByVnfPkgChange",
	}, names)
}

// TestViews_haveOnlyAttributesThatFiltersFind requires a place in the database for each attribute that an answer may
// have.
func TestViews_haveOnlyAttributesThatFiltersFind(t *testing.T) {
	connections := map[int]reflect.Type{
		1: reflect.TypeFor[[]lcm.VimConnectionInfo](), 2: reflect.TypeFor[map[string]vimConnectionV2](),
	}
	never := []string{ // the types have these members for other attributes
		"instantiatedVnfInfo/extVirtualLinkInfo/resourceHandle/vimLevelResourceType",
		"instantiatedVnfInfo/extManagedVirtualLinkInfo/networkResource/vimLevelResourceType",
		"changedExtConnectivity/resourceHandle/vimLevelResourceType",
		"changedExtConnectivity/extLinkPorts",
	}
	for _, connection := range connections {
		shown := map[string]reflect.Type{
			"vimConnectionInfo": connection, "changedInfo/vimConnectionInfo": connection,
			"operationParams/vimConnectionInfo":    connection,
			"changedInfo":                          reflect.TypeFor[lcm.VnfInfoModifications](),
			"modificationsTriggeredByVnfPkgChange": reflect.TypeFor[lcm.VnfInfoModifications](),
		}
		for _, of := range []struct {
			view  reflect.Type
			table store.Attributes
		}{
			{instanceListRules.View, store.InstanceAttributes},
			{dialectV2.operationListRules().View, store.OperationAttributes},
			{snapshotListRules.View, store.SnapshotAttributes},
		} {
			apitest.RequireFound(t, of.view, shown, of.table.Finds, never...)
		}
	}
}

// requireFull requires that every member of a view has a value, except those named in but and those that are never
// shown.
func requireFull(t *testing.T, path string, v reflect.Value, but ...string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		requireFull(t, path, v.Elem(), but...)
	case reflect.Slice:
		if v.Len() > 0 {
			requireFull(t, path, v.Index(0), but...)
		}
	case reflect.Struct:
		if _, isTime := reflect.TypeAssert[time.Time](v); isTime {
			return
		}
		for i := range v.NumField() {
			name := path + "." + v.Type().Field(i).Name
			never := strings.HasSuffix(name, ".CpProtocolInfo") ||
				strings.HasSuffix(name, "VirtualLinks.ResourceHandle.VimLevelResourceType") ||
				strings.HasSuffix(name, "NetworkResource.VimLevelResourceType") || strings.HasSuffix(name, ".NumDynamicAddresses")
			if !never && !slices.Contains(but, name) {
				require.False(t, v.Field(i).IsZero() || v.Field(i).Kind() == reflect.Slice && v.Field(i).Len() == 0, name)
				requireFull(t, name, v.Field(i), but...)
			}
		}
	default: // a simple value
	}
}

func TestInstance_linksToTheTasksThatArePossible(t *testing.T) {
	for _, d := range []*dialect{&dialectV1, &dialectV2} {
		i := apitest.Instance()
		links := func() []string { return slices.Sorted(maps.Keys(d.vnfInstance(endpoint, i).Links)) }
		require.Equal(t, []string{
			"changeExtConn", "changeFlavour", "heal", "operate", "scale", "scaleToLevel", "self", "terminate",
		}, links())
		i.Instantiated.VnfState = lcm.VnfStopped
		require.Equal(t, []string{"changeExtConn", "operate", "self", "terminate"}, links(), "stopped")
		i.Instantiated.VnfState = lcm.VnfStarted
		i.Instantiated.ScaleStatus, i.Instantiated.MaxScaleLevels = nil, nil
		require.Equal(t, []string{"changeExtConn", "changeFlavour", "heal", "operate", "self", "terminate"}, links(),
			"without scaling aspects")
		i.InstantiationState, i.Instantiated = lcm.NotInstantiated, nil
		require.Equal(t, []string{"instantiate", "self"}, links())
	}
}
