package k8s_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParams_nodesByTheirVdu(t *testing.T) {
	t.Parallel()
	params := func(node string) json.RawMessage {
		return json.RawMessage(`{"k8s_cluster_installation_param":{
			"master_node":{"vdu_id":"m","ssh_cp_name":"fip","nic_cp_name":"cp","username":"u","password":"p","cluster_cp_name":"vip"},
			"worker_node":{` + node + `,"ssh_cp_name":"wfip","nic_cp_name":"wcp","username":"u","password":"p"}}}`)
	}
	got, problems := checked(params(`"vdu_id":"w"`), 3, 2)
	require.Empty(t, problems)
	require.Equal(t, []string{"m", "w"}, []string{got.MasterNode.VduID, got.WorkerNode.VduID})
	_, problems = checked(params(`"vdu_id":"w","aspect_id":"workers"`), 3, 2)
	require.Len(t, problems, 1)
	require.Equal(t, "$.additionalParams.k8s_cluster_installation_param.worker_node.vdu_id", problems[0].Path)
	_, problems = checked(params(`"username":"u"`), 3, 2)
	require.Contains(t, problems[0].Detail, "vdu_id")
}
