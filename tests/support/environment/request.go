package environment

import "net/netip"

// clusterRoles are the objects of k8s_cluster_installation_param that contain a login.
var clusterRoles = []string{"master_node", "worker_node", "storage_server"}

// SetNodePassword puts the password of the nodes into a decoded InstantiateVnfRequest of the sample package: for the
// stack, which gives it to the VMs, and for the logins to them.
func SetNodePassword(request map[string]any, password string) {
	params, _ := request["additionalParams"].(map[string]any)
	params["node_password"] = password
	cluster, _ := params["k8s_cluster_installation_param"].(map[string]any)
	for _, role := range clusterRoles {
		if login, ok := cluster[role].(map[string]any); ok {
			login["password"] = password
		}
	}
	if balancer, ok := cluster["external_lb_param"].(map[string]any); ok {
		balancer["ssh_password"] = password
	}
}

// ExportTo allows machines in that range to mount what the storage server of such a request exports.
func ExportTo(request map[string]any, machines netip.Prefix) {
	params, _ := request["additionalParams"].(map[string]any)
	cluster, _ := params["k8s_cluster_installation_param"].(map[string]any)
	storage, _ := cluster["storage_server"].(map[string]any)
	exports, _ := storage["nfs_server_setup_params"].([]any)
	for _, export := range exports {
		export.(map[string]any)["export_to"] = machines.String()
	}
}

// SetAnsible puts the login to an Ansible server into such a request.
func SetAnsible(request, ansible map[string]any) {
	params, _ := request["additionalParams"].(map[string]any)
	if cluster, ok := params["k8s_cluster_installation_param"].(map[string]any); ok {
		cluster["ansible"] = ansible
	}
}

// NodePassword returns the password that SetNodePassword has put into the request.
func NodePassword(request map[string]any) string {
	params, _ := request["additionalParams"].(map[string]any)
	password, _ := params["node_password"].(string)
	return password
}
