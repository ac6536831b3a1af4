package lcm

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCredentialProblems_takesCredentialsAndNothingElse(t *testing.T) {
	const prefix = "$.additionalParams.k8s_cluster_installation_param"
	for body, want := range map[string][]string{
		`{}`:                        nil,
		`{"additionalParams":null}`: nil,
		`{"additionalParams":{"all":true,"node_password":"x"}}`:                                                                                    nil,
		`{"additionalParams":{"k8s_cluster_installation_param":{"worker_node":{}}}}`:                                                               nil,
		`{"additionalParams":{"k8s_cluster_installation_param":{"master_node":{"username":"a","password":"x","private_key":null}}}}`:               nil,
		`{"additionalParams":{"k8s_cluster_installation_param":{"worker_node":{"password":{"$secret":"x"}}}}}`:                                     nil,
		`{"additionalParams":{"k8s_cluster_installation_param":null}}`:                                                                             {prefix},
		`{"additionalParams":{"k8s_cluster_installation_param":{"master_node":null,"worker_node":{"username":null,"password":null}}}}`:             {prefix + ".master_node", prefix + ".worker_node.password", prefix + ".worker_node.username"},
		`{"additionalParams":{"k8s_cluster_installation_param":{"timeouts":{},"master_node":{"username":"a b","password":7,"ssh_cp_name":"cp"}}}}`: {prefix + ".master_node.password", prefix + ".master_node.ssh_cp_name", prefix + ".master_node.username", prefix + ".timeouts"},
		`{"additionalParams":{"k8s_cluster_installation_param":{"worker_node":[]}}}`:                                                               {prefix + ".worker_node"},
		`{"additionalParams":[]}`: {"$.additionalParams"},
	} {
		var paths []string
		for _, p := range CredentialProblems(json.RawMessage(body)) {
			paths = append(paths, p.Path)
		}
		require.Equal(t, want, paths, body)
	}
}

func TestDay2Requests_takeNullForNothing(t *testing.T) {
	heal, err := ParseHeal(json.RawMessage(`{"vnfcInstanceId":null}`))
	require.NoError(t, err)
	require.Empty(t, heal.VnfcInstanceID)
	scale, err := ParseScale(json.RawMessage(`{"numberOfSteps":null}`))
	require.NoError(t, err)
	require.Equal(t, Count(1), scale.NumberOfSteps)
}
