package e2e

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/qos/policies"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

const (
	toscaOnlyPackage = "vnfpkg/samples/tosca-only"
	toscaOnlyVnfdID  = "4be5f7d0-6f0d-4a0e-8a46-52f3b7c1d9a5"
)

// toscaOnly runs the operations of a VNF whose package has no Base HOT. Windlass makes its stack from the VNFD.
func toscaOnly(t *testing.T, b *bed) {
	b.Onboard(t, toscaOnlyPackage)
	vnf := b.CreateOf(t, toscaOnlyVnfdID, "tosca only")
	b.Await(t, b.Begin(t, vnf, "instantiate", b.toscaOnlyRequest(t)), quick, "COMPLETED")
	b.requireVdus(t, vnf, map[string]int{"frontend": 1, "database": 1})
	b.requireDualStack(t, b.VnfcOf(t, vnf, "database"))

	op := b.Scale(t, vnf, "SCALE_OUT", "frontends", 2)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 2, 0)
	b.requireVdus(t, vnf, map[string]int{"frontend": 3, "database": 1})
	require.Equal(t, 2, b.ScaleLevel(t, vnf, "frontends"))

	chosen := b.VnfcOf(t, vnf, "database")
	op = b.Heal(t, vnf, chosen)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 1, 1)
	require.NotContains(t, b.Vnfcs(t, vnf), chosen)
	frontend := b.VnfcOf(t, vnf, "frontend")
	op = b.Heal(t, vnf, frontend)
	b.Await(t, op, quick, "COMPLETED")
	b.RequireChanged(t, op, 1, 1)
	require.NotContains(t, b.Vnfcs(t, vnf), frontend)
	require.Empty(t, b.CheckDrift(t, vnf).Findings)

	op = b.Scale(t, vnf, "SCALE_IN", "frontends")
	b.Await(t, op, quick, "COMPLETED")
	b.requireVdus(t, vnf, map[string]int{"frontend": 2, "database": 1})
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
	b.toscaOnlyV2(t)
	b.toscaOnlySized(t)
}

// toscaOnlyV2 instantiates two VNFs by v2 of the API at another level. Both use the same internal addresses at the same
// time.
func (b *bed) toscaOnlyV2(t *testing.T) {
	t.Helper()
	var vnfs []string
	for _, name := range []string{"first", "second"} {
		vnf := b.CreateOf(t, toscaOnlyVnfdID, name)
		request := b.toscaOnlyRequest(t)
		link := request["extVirtualLinks"].([]any)[0].(map[string]any)
		cp := link["extCps"].([]any)[0].(map[string]any)
		cp["cpConfig"] = map[string]any{"frontend": cp["cpConfig"].([]any)[0]}
		request["instantiationLevelId"] = "large"
		request["vimConnectionInfo"] = map[string]any{"vim1": map[string]any{
			"vimId":   b.Vim,
			"vimType": "ETSINFV.OPENSTACK_KEYSTONE.V_3",
		}}
		b.Await(t, b.BeginV2(t, vnf, "instantiate", request), quick, "COMPLETED")
		b.requireVdus(t, vnf, map[string]int{"frontend": 3, "database": 1})
		vnfs = append(vnfs, vnf)
	}
	op := b.BeginV2(t, vnfs[0], "scale", map[string]any{"type": "SCALE_IN", "aspectId": "frontends", "numberOfSteps": 2})
	b.Await(t, op, quick, "COMPLETED")
	b.requireVdus(t, vnfs[0], map[string]int{"frontend": 1, "database": 1})
	b.requireVdus(t, vnfs[1], map[string]int{"frontend": 3, "database": 1})
	for _, vnf := range vnfs {
		// With "all", a heal first deletes the stack: there are too few hosts for the old and the new servers at once.
		b.Await(t, b.BeginV2(t, vnf, "heal", map[string]any{"additionalParams": map[string]any{"all": true}}), quick, "COMPLETED")
		b.Await(t, b.BeginV2(t, vnf, "terminate", map[string]any{"terminationType": "FORCEFUL"}), quick, "COMPLETED")
		a := b.Call(t, http.MethodDelete, "/vnflcm/v2/vnf_instances/"+vnf, nil)
		require.Equal(t, http.StatusNoContent, a.Status, "%s", a.Body)
	}
	b.RequireNothingLeft(t)
}

// toscaOnlySized uses the flavour whose stack makes a Nova flavour and a QoS policy. A scale-out raises the rate of the
// policy.
func (b *bed) toscaOnlySized(t *testing.T) {
	t.Helper()
	vnf := b.CreateOf(t, toscaOnlyVnfdID, "sized")
	request := testbed.LinksTo("net0") // it connects VDU1_CP1
	request["flavourId"] = "sized"
	request["vimConnectionInfo"] = b.OnOpenStack()
	op := b.Begin(t, vnf, "instantiate", request)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "You are not authorized to use OS::")

	withdraw := b.makeAdministrator(t)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, []int{10000}, limits(t, b))
	op = b.Scale(t, vnf, "SCALE_OUT", "VDU1_scale")
	b.Await(t, op, quick, "COMPLETED")
	require.Equal(t, []int{20000}, limits(t, b))
	b.terminate(t, vnf)
	withdraw()
	b.RequireNothingLeft(t)
}

// makeAdministrator gives the VIM's user the role admin, as a cloud's administrator does for a VNFM that makes
// flavours. The returned function withdraws it.
func (b *bed) makeAdministrator(t *testing.T) (withdraw func()) {
	t.Helper()
	login, err := b.Cloud.(*environment.Lab).Admin(t.Context(), b.Environment)
	require.NoError(t, err)
	keystone := testbed.Service(t, login, openstack.NewIdentityV3)
	var found struct {
		Users    []struct{ ID string }
		Projects []struct{ ID, Name string }
		Roles    []struct{ ID string }
	}
	for _, path := range []string{
		"users?name=" + b.Cloud.Login().User, "projects?name=" + b.Cloud.Login().Project,
		"roles?name=admin",
	} {
		_, err := keystone.Get(t.Context(), keystone.ServiceURL(path), &found, nil)
		require.NoError(t, err)
	}
	grant := keystone.ServiceURL("projects", found.Projects[0].ID, "users", found.Users[0].ID, "roles", found.Roles[0].ID)
	_, err = keystone.Put(t.Context(), grant, nil, nil, &gophercloud.RequestOpts{OkCodes: []int{http.StatusNoContent}})
	require.NoError(t, err)
	return func() {
		_, err := keystone.Delete(t.Context(), grant, nil)
		require.NoError(t, err)
	}
}

func limits(t *testing.T, b *bed) (kbps []int) {
	t.Helper()
	pages, err := policies.List(testbed.Service(t, b.Cloud.Login(), openstack.NewNetworkV2),
		policies.ListOpts{}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := policies.ExtractPolicies(pages)
	require.NoError(t, err)
	for _, p := range list {
		for _, rule := range p.Rules {
			kbps = append(kbps, int(rule["max_kbps"].(float64)))
		}
	}
	return kbps
}

// toscaOnlyRequest returns the sample's request for this cloud.
func (b *bed) toscaOnlyRequest(t *testing.T) (request map[string]any) {
	t.Helper()
	request = b.RequestOf(t, "tosca-only")
	request["additionalParams"].(map[string]any)["node_password"] = testbed.NodePassword
	return request
}

// requireVdus checks the number of a VNF's VNFCs by VDU.
func (b *bed) requireVdus(t *testing.T, vnf string, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, vdu := range b.Vnfcs(t, vnf) {
		got[vdu]++
	}
	require.Equal(t, want, got)
}

// requireDualStack checks that the only port of a server has an IPv4 and an IPv6 address.
func (b *bed) requireDualStack(t *testing.T, server string) {
	t.Helper()
	pages, err := ports.List(testbed.Service(t, b.Cloud.Login(), openstack.NewNetworkV2),
		ports.ListOpts{DeviceID: server}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := ports.ExtractPorts(pages)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Len(t, list[0].FixedIPs, 2)
	require.Regexp(t, `^192\.168\.78\.`, list[0].FixedIPs[0].IPAddress)
	require.Regexp(t, `^fd78:1::`, list[0].FixedIPs[1].IPAddress)
}
