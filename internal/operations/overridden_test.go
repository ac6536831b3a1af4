package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

func TestOverridden_aHealPutsCredentialsInThePlaceOfOthers(t *testing.T) {
	stored := json.RawMessage(`{"k8s_cluster_installation_param":{"master_node":{"username":"debian","password":{"$secret":"old"}},"vim_name":"v"}}`)
	heal := lcm.VnfLcmOpOcc{Operation: lcm.OpHeal, Params: json.RawMessage(
		`{"cause":"x","additionalParams":{"k8s_cluster_installation_param":{"master_node":{"password":{"$secret":"new"}}}}}`)}
	got, err := overridden(heal, stored)
	require.NoError(t, err)
	require.JSONEq(t, `{"k8s_cluster_installation_param":{"master_node":{"username":"debian","password":{"$secret":"new"}},"vim_name":"v"}}`, string(got))

	// The same holds for the Ansible server and the load balancer. A key replaces a password.
	stored = json.RawMessage(`{"k8s_cluster_installation_param":{"ansible":{"password":{"$secret":"a"}},` +
		`"external_lb_param":{"ssh_cp_name":"lb","ssh_username":"debian","ssh_password":{"$secret":"old"}}}}`)
	heal.Params = json.RawMessage(`{"additionalParams":{"k8s_cluster_installation_param":{"ansible":{"password":{"$secret":"b"}},` +
		`"external_lb_param":{"ssh_username":"ubuntu","ssh_password":null,"ssh_private_key":{"$secret":"key"}}}}}`)
	got, err = overridden(heal, stored)
	require.NoError(t, err)
	require.JSONEq(t, `{"k8s_cluster_installation_param":{"ansible":{"password":{"$secret":"b"}},`+
		`"external_lb_param":{"ssh_cp_name":"lb","ssh_username":"ubuntu","ssh_private_key":{"$secret":"key"}}}}`, string(got))

	for _, op := range []lcm.VnfLcmOpOcc{
		{Operation: lcm.OpScale, Params: heal.Params},
		{Operation: lcm.OpHeal, Params: json.RawMessage(`{}`)},
		{Operation: lcm.OpScaleToLevel, Params: json.RawMessage(`{"additionalParams":{"nfv":null}}`)},
		{Operation: lcm.OpOperate, Params: heal.Params},
	} {
		got, err := overridden(op, stored)
		require.NoError(t, err)
		require.JSONEq(t, string(stored), string(got), "%s", op.Operation)
	}
}

// TestOverridden_nfvOfScalingsAndChangesOfLinks checks that Tacker's user data uses the member nfv of any request, but
// no other member of a scaling or a change of links.
func TestOverridden_nfvOfScalingsAndChangesOfLinks(t *testing.T) {
	stored := `{"a":1,"nfv":{"VDU":{"V":{"flavor":"small"}},"CP":{"C":{"network":"n","fixed_ips":[],"other":1},"C-1":{"port":"p"},"D":{"network":"d"}}}}`
	links := `"extVirtualLinks":[{"id":"l","resourceId":"r","extCps":[{"cpdId":"C"}]}]`
	for name, c := range map[string]struct {
		op             lcm.Operation
		request, wants string
		stored         string
	}{
		"scale": {
			lcm.OpScale, `{"additionalParams":{"b":2,"nfv":{"VDU":{"V":{"flavor":"big"}},"CP":{"D":null}}}}`,
			`{"a":1,"nfv":{"VDU":{"V":{"flavor":"big"}},"CP":{"C":{"network":"n","fixed_ips":[],"other":1},"C-1":{"port":"p"}}}}`, stored,
		},
		"to a level": {lcm.OpScaleToLevel, `{"additionalParams":{"nfv":{"VDU":{"W":1}}}}`, `{"nfv":{"VDU":{"W":1}}}`, ""},
		"links": {
			lcm.OpChangeExtConn, `{` + links + `}`,
			`{"a":1,"nfv":{"VDU":{"V":{"flavor":"small"}},"CP":{"C":{"other":1},"C-1":{},"D":{"network":"d"}}}}`, stored,
		},
		"links and nfv": {
			lcm.OpChangeExtConn, `{` + links +
				`,"additionalParams":{"c":3,"nfv":{"CP":{"C":{"network":"m"}}}}}`,
			`{"a":1,"nfv":{"VDU":{"V":{"flavor":"small"}},"CP":{"C":{"other":1,"network":"m"},"C-1":{},"D":{"network":"d"}}}}`,
			stored,
		},
		"heal": {
			lcm.OpHeal, `{"additionalParams":{"all":true,"nfv":{"VDU":{"V":{"flavor":"big"}}}}}`,
			`{"nfv":{"VDU":{"V":{"flavor":"big"}}}}`, "",
		},
	} {
		got, err := overridden(lcm.VnfLcmOpOcc{Operation: c.op, Params: json.RawMessage(c.request)},
			json.RawMessage(c.stored))
		require.NoError(t, err, name)
		require.JSONEq(t, c.wants, string(got), name)
	}
}

// TestOverridden_keepsNothingOfWhatIsForThisHealOnly checks that a parameter for one heal is not a parameter of the
// next heal.
func TestOverridden_keepsNothingOfWhatIsForThisHealOnly(t *testing.T) {
	heal := lcm.VnfLcmOpOcc{
		Operation: lcm.OpHeal,
		Params:    json.RawMessage(`{"additionalParams":{"keep_volumes":true,"all":false,"other":1}}`),
	}
	got, err := overridden(heal, json.RawMessage(`{"a":2}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":2,"other":1}`, string(got))
}

func overridden(op lcm.VnfLcmOpOcc, stored json.RawMessage) (json.RawMessage, error) {
	own, err := requests.Of(op)
	if err != nil {
		return nil, err
	}
	return (&Operation{OpOcc: op, Own: own}).overridden(stored)
}
