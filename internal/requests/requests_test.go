package requests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// samples have every member of a request, by operation and version of the API.
var samples = map[lcm.Operation][2]string{
	lcm.OpInstantiate: {
		`{"flavourId":"f","instantiationLevelId":"l","localizationLanguage":"en","vimConnectionInfo":[{"id":"v","vimType":"openstack","vimId":"r"}],
		"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":[{"linkPortId":"p"},{"linkPortId":"q"}]}],
			"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"1"}},{"id":"q","resourceHandle":{"resourceId":"2"}}]}],
		"extManagedVirtualLinks":[{"id":"m","virtualLinkDescId":"in","resourceId":"n"}],"additionalParams":{"n":9007199254740991}}`,
		`{"flavourId":"f","vimConnectionInfo":{"v":{"vimType":"openstack","accessInfo":{"username":"u"}}},"extensions":{"e":1},
		"vnfConfigurableProperties":{"c":true},"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"k":{
			"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"macAddress":"fa:16:3e:00:00:01",
				"ipAddresses":[{"type":"IPV6","numDynamicAddresses":2,"subnetId":"s"}]}}]}}}]}]}`,
	},
	lcm.OpScale: {
		`{"type":"SCALE_IN","aspectId":"a","numberOfSteps":"2","additionalParams":{"vnfc_instance_ids":"x","scale_in_policy":"oldest","patience":7}}`,
		`{"type":"SCALE_OUT","aspectId":"a"}`,
	},
	lcm.OpScaleToLevel: {
		`{"scaleInfo":[{"aspectId":"a","scaleLevel":0}],"additionalParams":{"nfv":{"CP":{"cp":{"port":"p"}}}}}`,
		`{"instantiationLevelId":"l","additionalParams":{"ready_timeout":60}}`,
	},
	lcm.OpHeal: {
		`{"vnfcInstanceId":"a","cause":"c","additionalParams":{"all":"true","patience":"7","other":{"x":1}}}`,
		`{"vnfcInstanceId":["a","b"],"additionalParams":{"keep_volumes":true}}`,
	},
	lcm.OpOperate: {
		`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":0}`,
		`{"changeStateTo":"STARTED","vnfcInstanceId":["a"],"additionalParams":{"vnfc_instance_ids":["b"],"ready_timeout":9}}`,
	},
	lcm.OpChangeExtConn: {
		`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":[{}]}]}],"vimConnectionInfo":[{"id":"v","extra":{"a":null}}]}`,
		`{"extVirtualLinks":[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"k":null,"l":{"linkPortId":null}}}]}],
		"vimConnectionInfo":{"v":null,"w":{"vimId":"r"}},"additionalParams":{"nfv":{}}}`,
	},
	lcm.OpChangeVnfPkg: {
		``, `{"vnfdId":"d","additionalParams":{"upgrade_type":"RollingUpdate","patience":5},"extensions":null,"vnfConfigurableProperties":{"a":null}}`,
	},
	lcm.OpModifyInfo: {
		`{"vnfInstanceName":"n","vnfInstanceDescription":null,"vnfPkgId":"p","metadata":{"a":null},"vimConnectionInfo":[{"id":"v"}],"vimConnectionInfoDeleteIds":["w"]}`,
		`{"vnfdId":"d","extensions":null,"vimConnectionInfo":{"v":null},"vnfcInfoModifications":[{"id":"i","vnfcConfigurableProperties":{"a":1}}]}`,
	},
	lcm.OpTerminate: {
		`{"terminationType":"GRACEFUL","gracefulTerminationTimeout":0,"additionalParams":{"claims":"keep","terminate_vnfs":true,"patience":3}}`,
		`{"terminationType":"FORCEFUL"}`,
	},
}

// TestToStore_losesNothing checks that the canonical form of a request is read as the request again, and that the body
// as it was sent, which former releases have stored, is read as the same request.
func TestToStore_losesNothing(t *testing.T) {
	for op, bodies := range samples {
		for i, body := range bodies {
			version := i + 1
			if body == "" {
				require.False(t, Has(op, version))
				continue
			}
			asked, err := Read(op, version, []byte(body))
			require.NoError(t, err, "%s %s", op, body)
			require.Equal(t, op, asked.Operation())
			doc, err := ToStore(asked.Request)
			require.NoError(t, err)
			again, err := Of(lcm.VnfLcmOpOcc{Operation: op, Request: doc})
			require.NoError(t, err, "%s", doc)
			require.Equal(t, asked.Request, again, "%s", doc)
			kept, err := Of(lcm.VnfLcmOpOcc{Operation: op, APIVersion: version, Params: []byte(body)})
			require.NoError(t, err)
			require.Equal(t, asked.Request, kept, "%s %s", op, body)
		}
	}
}

func TestOf_leavesMembersAloneThatItDoesNotKnow(t *testing.T) {
	r, err := Of(lcm.VnfLcmOpOcc{Operation: lcm.OpHeal, Request: []byte(`{"version":1,"of":"later","request":{"cause":"c","later":{"a":1}}}`)})
	require.NoError(t, err)
	require.Equal(t, lcm.HealRequest{Cause: "c"}, r)
}

func TestOf_refusesWhatALaterReleaseHasStored(t *testing.T) {
	_, err := Of(lcm.VnfLcmOpOcc{ID: "o", Operation: lcm.OpHeal, Request: []byte(`{"version":2,"request":{}}`)})
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "Run the later release")
	_, err = Of(lcm.VnfLcmOpOcc{Operation: "LATER", Request: []byte(`{"version":1}`)})
	require.True(t, lcm.Is(err, lcm.KindBug), "%v", err)
	_, err = Of(lcm.VnfLcmOpOcc{Operation: lcm.OpHeal, Request: []byte(`7`)})
	require.True(t, lcm.Is(err, lcm.KindBug), "%v", err)
}

// TestOf_readsSealedRequestsOfFormerReleases checks that a secret may stand wherever a client may write one.
func TestOf_readsSealedRequestsOfFormerReleases(t *testing.T) {
	r, err := Of(lcm.VnfLcmOpOcc{Operation: lcm.OpInstantiate, APIVersion: 1, Params: []byte(`{"flavourId":"f",
		"vimConnectionInfo":[{"id":"v","accessInfo":{"password":{"$secret":"r"}}}],"additionalParams":{"token":{"$secret":"s"}}}`)})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"password": map[string]any{"$secret": "r"}}, r.(lcm.InstantiateRequest).VimConnections[0].AccessInfo)
	require.JSONEq(t, `{"token":{"$secret":"s"}}`, string(r.(lcm.InstantiateRequest).AdditionalParams))
}

// TestRead_tellsOnesOwnMistakesAndThoseOfOthersAtOnce checks the form of a heal, its own parameters and a driver's.
func TestRead_tellsOnesOwnMistakesAndThoseOfOthersAtOnce(t *testing.T) {
	_, err := Read(lcm.OpHeal, 2, []byte(`{"cause":7,"additionalParams":{"all":"perhaps"}}`),
		func(json.RawMessage) []lcm.Problem { return []lcm.Problem{{Path: "$.additionalParams.x"}} })
	e, ok := asError(err)
	require.True(t, ok, "%v", err)
	var paths []string
	for _, p := range e.Problems {
		paths = append(paths, p.Path)
	}
	require.Equal(t, []string{"$.cause", "$.additionalParams.all", "$.additionalParams.x"}, paths)
}

// FuzzRead checks that whatever was read can be stored and read again.
func FuzzRead(f *testing.F) {
	for _, bodies := range samples {
		for _, body := range bodies {
			f.Add([]byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for op := range operations {
			for _, version := range []int{1, 2} {
				_, _ = former(op, version, body)
				if !Has(op, version) {
					continue
				}
				asked, err := Read(op, version, body)
				if err != nil {
					require.NotEmpty(t, err.Error())
					continue
				}
				doc, err := ToStore(asked.Request)
				require.NoError(t, err)
				_, err = Of(lcm.VnfLcmOpOcc{Operation: op, Request: doc})
				require.NoError(t, err, "%s", doc)
			}
		}
	})
}
