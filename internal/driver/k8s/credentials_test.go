package k8s

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealProblems_takesCredentialsAndNothingElse(t *testing.T) {
	const prefix = "$.additionalParams.k8s_cluster_installation_param"
	for body, want := range map[string][]string{
		`{}`:                               nil,
		`null`:                             nil,
		`{"all":true,"node_password":"x"}`: nil,
		`{"k8s_cluster_installation_param":{"worker_node":{}}}`:                                                                   nil,
		`{"k8s_cluster_installation_param":{"master_node":{"username":"a","password":"x","private_key":null}}}`:                   nil,
		`{"k8s_cluster_installation_param":{"worker_node":{"password":{"$secret":"x"}}}}`:                                         nil,
		`{"k8s_cluster_installation_param":null}`:                                                                                 {prefix},
		`{"k8s_cluster_installation_param":{"master_node":null,"worker_node":{"username":null,"password":null}}}`:                 {prefix + ".master_node", prefix + ".worker_node.password", prefix + ".worker_node.username"},
		`{"k8s_cluster_installation_param":{"timeouts":{},"master_node":{"username":"a b","password":7,"ssh_cp_name":"cp"}}}`:     {prefix + ".master_node.password", prefix + ".master_node.ssh_cp_name", prefix + ".master_node.username", prefix + ".timeouts"},
		`{"k8s_cluster_installation_param":{"worker_node":[]}}`:                                                                   {prefix + ".worker_node"},
		`{"k8s_cluster_installation_param":{"external_lb_param":{"ssh_username":"a","ssh_password":null,"ssh_private_key":"K"}}}`: nil,
		`{"k8s_cluster_installation_param":{"external_lb_param":{"ssh_password":"x"},"ansible":{"password":"y"}}}`:                nil,
		`{"k8s_cluster_installation_param":{"external_lb_param":{"username":"a","ssh_password":null,"node_ports":[1]}}}`:          {prefix + ".external_lb_param.node_ports", prefix + ".external_lb_param.ssh_password", prefix + ".external_lb_param.username"},
		`[]`: {"$.additionalParams"},
	} {
		var paths []string
		for _, p := range HealProblems(json.RawMessage(body), nil) {
			paths = append(paths, p.Path)
		}
		require.Equal(t, want, paths, body)
	}
}
