package heat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

const aTemplate = "heat_template_version: 2016-10-14\nresources: {}\n"

func TestOwnTemplate_isTakenWhereNothingIsScaled(t *testing.T) {
	had := hot.Template{Top: aTemplate}
	fixed := &descriptor.Flavour{ID: "f"}
	scaled := &descriptor.Flavour{ID: "f", Aspects: []descriptor.ScalingAspect{{ID: "a"}}}
	for _, f := range []*descriptor.Flavour{fixed, scaled} {
		for _, same := range []string{"", aTemplate, `{"resources": {}, "heat_template_version": "2016-10-14"}`} {
			got, err := ownTemplate(f, had, userdata.Made{Template: same})
			require.NoError(t, err)
			require.Equal(t, had, got, "as the package has it")
		}
	}
	other := userdata.Made{Template: "heat_template_version: 2016-10-14\nresources: { x: { type: OS::Heat::None } }\n"}
	got, err := ownTemplate(fixed, had, other)
	require.NoError(t, err)
	require.Equal(t, other.Template, got.Top)
	_, err = ownTemplate(scaled, had, other)
	require.True(t, lcm.Is(err, lcm.KindInvalid))
	require.ErrorContains(t, err, "StandardUserData")
}

func TestTold_hasTheRequestAndTheSizeButNoCredentials(t *testing.T) {
	j := &job{&operations.Operation{
		Instance: lcm.VnfInstance{ID: "i", VnfdID: "d", Name: "n"}, OpOcc: lcm.VnfLcmOpOcc{ID: "o"},
		Flavour: &descriptor.Flavour{
			ID: "f", Definition: "Definitions/f.yaml", BaseHOT: "BaseHOT/f/top.yaml",
			Vdus:    []descriptor.Vdu{{ID: "a", ComputeFlavour: "m1.small", Image: &descriptor.SwImage{Name: "image"}}},
			Aspects: []descriptor.ScalingAspect{{ID: "s", Deltas: map[string]map[string]int{"a": nil}}},
		},
		Request: lcm.InstantiateRequest{
			ExtVirtualLinks: []lcm.ExtVirtualLink{{
				ID: "l", ResourceID: "net",
				ExtCps: []lcm.ExtCp{{
					CpdID: "cp", MAC: "fa:16:3e:00:00:01",
					FixedIPs: []lcm.FixedIP{{Address: "fd00::7"}, {SubnetID: "sub"}, {SubnetID: "sub6", Dynamic: 2, IPv6: true}},
					Configs:  []lcm.CpConfig{{Key: "key", MAC: "fa:16:3e:00:00:01"}},
				}},
			}},
			VimConnections: []lcm.VimConnectionInfo{{
				ID: "vim", VimID: "v", VimType: "openstack", AccessInfo: map[string]any{"password": "hunter2"},
			}},
		},
	}}
	request := hot.Request{
		Capacity: map[string]int{"a": 2}, Zones: map[string]string{"a": "west"},
		Images: map[string]string{"a": "granted"},
	}
	told, err := j.told(hot.Template{Top: aTemplate, Files: map[string]string{"n.yaml": "a: 1\n", "text": "a: [\n"}},
		request, map[string][]byte{"Definitions/f.yaml": []byte("b: 2\n")})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"b": int64(2)}, told.Vnfd)
	require.Equal(t, userdata.Hot{
		Template: map[string]any{"heat_template_version": "2016-10-14", "resources": map[string]any{}},
		Files:    map[string]any{"n.yaml": map[string]any{"a": int64(1)}},
	}, told.Hot)
	require.Equal(t, map[string]any{"vim": map[string]any{"vimId": lcm.VimID("v"), "vimType": "openstack"}},
		told.Request["vimConnectionInfo"])
	cp := told.Request["extVirtualLinks"].([]any)[0].(map[string]any)["extCps"].([]any)[0].(map[string]any)
	data := cp["cpConfig"].(map[string]any)["key"].(map[string]any)["cpProtocolData"].([]any)[0].(map[string]any)
	sub6 := map[string]any{"type": "IPV6", "subnetId": "sub6"}
	require.Equal(t, []any{
		map[string]any{"type": "IPV6", "fixedAddresses": []any{"fd00::7"}},
		map[string]any{"type": "IPV4", "subnetId": "sub"},
		sub6, sub6,
	},
		data["ipOverEthernet"].(map[string]any)["ipAddresses"])
	require.Equal(t, "fa:16:3e:00:00:01", data["ipOverEthernet"].(map[string]any)["macAddress"])
	require.Equal(t, map[string]int{"s": 2}, told.Capacity)
	require.Equal(t, map[string]string{"a": "granted"}, told.Images)
	require.Len(t, told.GrantRequest["addResources"], 2)
	require.Equal(t, map[string]any{"resourceDefinitionId": "a-1", "zoneId": "west"},
		told.Grant["addResources"].([]any)[1])

	j.Flavour.Definition = ""
	_, err = j.told(hot.Template{Top: aTemplate}, request, nil)
	require.ErrorContains(t, err, "on-board the VNF package again")
}
