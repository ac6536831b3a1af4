package k8s_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExternalLBParams_saysEveryMistake(t *testing.T) {
	for lb, want := range map[string][]string{
		`{"ssh_cp_name": "lb", "ssh_username": "u", "ssh_password": "p"}`:                                               nil,
		`{"ssh_cp_name": "lb", "ssh_username": "u", "ssh_password": "p", "cluster_cp_name": "vip"}`:                     nil,
		`{"octavia": {}, "cluster_cp_name": "vip", "node_ports": [30080]}`:                                              nil,
		`{"octavia": {}, "cluster_cp_name": "vip", "ingress_ports": [{"port": 80}, {"port": 443, "node_port": 30443}]}`: nil,
		`{"octavia": {}, "cluster_cp_name": "vip", "node_ports": [443],
			"ingress_ports": [{"port": 443}, {"node_port": 30080}, {"port": 8383, "node_port": 70000}]}`: {
			"ingress_ports[0].port", "ingress_ports[1].port", "ingress_ports[2].port", "ingress_ports[2].node_port",
		},
		`{}`:              {"ssh_cp_name", "ssh_username", "ssh_password"},
		`{"octavia": {}}`: {"cluster_cp_name"},
		`{"octavia": {}, "cluster_cp_name": "vip", "ssh_cp_name": "lb", "script_path": "a.sh"}`: {"ssh_cp_name", "script_path"},
		`{"ssh_cp_name": "lb", "ssh_username": "u", "ssh_password": "p", "cluster_cp_name": "vip", "script_path": "a.sh",
			"aspect_id": "a", "vdu_id": "v", "node_ports": [8383, 30080, 30080]}`: {"vdu_id", "script_path", "node_ports[0]", "node_ports[2]"},
	} {
		_, problems := checked(json.RawMessage(`{"k8s_cluster_installation_param": {
			"master_node": {"aspect_id": "m", "ssh_cp_name": "m", "username": "u", "password": "p"},
			"worker_node": {"aspect_id": "w", "ssh_cp_name": "w", "username": "u", "password": "p"}, "external_lb_param": `+lb+`}}`), 3, 2)
		var at []string
		for _, p := range problems {
			at = append(at, p.Path)
		}
		var paths []string
		for _, member := range want {
			paths = append(paths, "$.additionalParams.k8s_cluster_installation_param.external_lb_param."+member)
		}
		assert.ElementsMatch(t, paths, at, lb)
	}
}
