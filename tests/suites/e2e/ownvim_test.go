package e2e

import (
	"maps"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/nfvo/nfvotest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// wrongVimPassword is a password that the cloud refuses.
const wrongVimPassword = "no-Pa55-of-the-cloud-41e7"

// ownConnection returns a VimConnectionInfo with the endpoint and credentials of the bed's cloud, with the names that
// SOL003 registers for them.
func (b *bed) ownConnection(id, password string) map[string]any {
	login := b.Cloud.Login()
	return map[string]any{
		"id": id, "vimType": "ETSINFV.OPENSTACK_KEYSTONE.V_3", "extra": login.Vim("")["vim"].(map[string]any)["extra"],
		"interfaceInfo": map[string]any{"endpoint": login.AuthURL},
		"accessInfo": map[string]any{
			"username": login.User, "password": password, "project": login.Project, "projectDomain": login.ProjectDomain,
			"userDomain": login.Domain,
		},
	}
}

// setDefault sets whether the registered VIM is the default one.
func (b *bed) setDefault(t *testing.T, is bool) {
	t.Helper()
	a := b.Call(t, http.MethodPut, "/v1.0/vims/"+b.Vim, map[string]any{"vim": map[string]any{"is_default": is}})
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
}

// onOwnVim instantiates a VNF whose request contains the VIM, while no VIM is the default one.
func onOwnVim(t *testing.T, b *bed) {
	b.setDefault(t, false)
	defer b.setDefault(t, true)
	password := b.Cloud.Login().Password
	vnf, op := b.Instantiate(t, "own-vim", func(req, _ map[string]any) {
		req["vimConnectionInfo"] = []any{b.ownConnection("own", password)}
	})
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 3, 2)
	info := func() map[string]any {
		for _, c := range b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["vimConnectionInfo"].([]any) {
			if c := c.(map[string]any); c["id"] == "own" {
				return c
			}
		}
		return nil
	}
	shown := info()
	require.NotContains(t, shown, "vimId")
	require.Equal(t, "***", shown["accessInfo"].(map[string]any)["password"])
	for _, v := range b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)["vnfcResourceInfo"].([]any) {
		require.Equal(t, "own", v.(map[string]any)["computeResource"].(map[string]any)["vimConnectionId"])
	}
	b.Await(t, b.Scale(t, vnf, "SCALE_OUT", "worker_instance"), quick, "COMPLETED")
	b.RequireCluster(t, 3, 3)

	rotated := func(password string) map[string]any {
		return map[string]any{"vimConnectionInfo": []any{map[string]any{
			"id":         "own",
			"accessInfo": map[string]any{"password": password},
		}}}
	}
	wrong := b.Modify(t, vnf, rotated(wrongVimPassword))
	got := b.Await(t, wrong, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "refused the credentials of VIM own")
	require.Equal(t, http.StatusAccepted, b.Act(t, wrong, "rollback", nil).Status)
	b.Await(t, wrong, quick, "ROLLED_BACK")
	b.Await(t, b.Modify(t, vnf, rotated(password)), quick, "COMPLETED")
	require.Equal(t, shown, info(), "the rest of the connection is as it was")
	b.Await(t, b.Heal(t, vnf, b.VnfcOf(t, vnf, "workerNode")), quick, "COMPLETED")
	b.RequireCluster(t, 3, 3)

	values := map[string]string{
		"the VIM's password": password, "the wrong password": wrongVimPassword,
		"the nodes' password": testbed.NodePassword,
	}
	b.requireNowhere(t, vnf, op, values)
	b.requireNowhere(t, vnf, wrong, values)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// grantBringsVim instantiates a VNF whose VIM comes with the grant. Neither the request nor the registry has it.
func grantBringsVim(t *testing.T, b *bed, n *nfvotest.NFVO) {
	b.setDefault(t, false)
	defer b.setDefault(t, true)
	begin := func(name string) (vnf, op string) {
		return b.Instantiate(t, name, func(req, cluster map[string]any) {
			req["flavourId"] = "simple"
			cluster["master_node"].(map[string]any)["cluster_cp_name"] = "masterNode_CP1" // no virtual IP
			delete(req, "vimConnectionInfo")
		})
	}
	n.Decide(nil)
	vnf, op := begin("nowhere")
	got := b.Await(t, op, quick, "ROLLED_BACK")
	require.Contains(t, got["error"].(map[string]any)["detail"], "the grant brings no connection to an OpenStack")
	for _, r := range resourcesOf(lastOf(n), "addResources", "COMPUTE") {
		require.NotContains(t, r, "vimConnectionId")
	}
	b.Delete(t, vnf)

	password := b.Cloud.Login().Password
	granted := b.ownConnection("of-the-nfvo", password)
	granted["vimId"] = "an id of the NFVO's own" // the connection is complete, so Windlass does not look for this id
	n.Decide(func(map[string]any) nfvotest.Decision {
		return nfvotest.Decision{Grant: map[string]any{"vimConnections": []any{granted}}}
	})
	vnf, op = begin("granted-vim")
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 1, 1)
	n.Decide(nil)
	grant := b.Get(t, "/windlass/v1/vnf_lcm_op_occs/"+filepath.Base(op)+"/grant")
	for _, r := range resourcesOf(grant, "addResources", "COMPUTE") {
		require.Equal(t, "of-the-nfvo", r["vimConnectionId"])
	}
	patch := map[string]any{"vimConnectionInfo": []any{map[string]any{
		"id":         "of-the-nfvo",
		"accessInfo": map[string]any{"password": password},
	}}}
	b.Await(t, b.Modify(t, vnf, patch), quick, "COMPLETED")
	shown := maps.Clone(granted)
	shown["accessInfo"] = maps.Clone(granted["accessInfo"].(map[string]any))
	shown["accessInfo"].(map[string]any)["password"] = "***"
	require.Contains(t, b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["vimConnectionInfo"], any(shown))
	b.requireNowhere(t, vnf, op, map[string]string{"the password of the NFVO's VIM": password})
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}
