package k8s

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithoutRepeated_leavesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	had := json.RawMessage(`{"k8s_cluster_installation_param":{"script_path":"Scripts/x.sh","vim_name":"k",
		"master_node":{"vdu_id":"masterNode","ssh_cp_name":"cp","username":"u","password":{"$secret":"r"},"pod_cidr":"10.0.0.0/16"},
		"worker_node":{"vdu_id":"workerNode","ssh_cp_name":"wcp","username":"u","password":{"$secret":"s"}}},"other":1}`)
	asked := json.RawMessage(`{"all":false,"other":1,"k8s_cluster_installation_param":{"script_path":"Scripts/x.sh","vim_name":"other",
		"master_node":{"vdu_id":"masterNode","ssh_cp_name":"cp","username":"u","password":"p","pod_cidr":"10.1.0.0/16"},
		"worker_node":{"vdu_id":"workerNode","ssh_cp_name":"wcp","username":"u","password":"p"}}}`)
	require.JSONEq(t, `{"all":false,"other":1,"k8s_cluster_installation_param":{"vim_name":"other",
		"master_node":{"username":"u","password":"p","pod_cidr":"10.1.0.0/16"},"worker_node":{"username":"u","password":"p"}}}`,
		string(withoutRepeated(asked, had)))
	for _, untouched := range []string{`{}`, `null`, `[]`, `7`, `{"k8s_cluster_installation_param":[]}`} {
		require.Equal(t, untouched, string(withoutRepeated(json.RawMessage(untouched), had)))
	}
	require.Equal(t, string(asked), string(withoutRepeated(asked, nil)))
}
