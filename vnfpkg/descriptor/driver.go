package descriptor

import (
	"path"
	"slices"
	"strings"
)

// The built-in drivers, by the names that VNF packages use for Tacker's management drivers.
const (
	// DriverKubernetes makes a Kubernetes cluster from a VNF's servers.
	DriverKubernetes = "mgmt-drivers-kubernetes"
	// DriverKubespray makes a Kubernetes cluster too; it runs kubespray on an Ansible server.
	DriverKubespray = "mgmt-drivers-kubespray"
	// DriverPrivateRegistry makes an image registry on a VNF's server.
	DriverPrivateRegistry = "mgmt-drivers-private-registry"
	// DriverNodePort exposes Services of a containerised VNF on the load balancer before its cluster.
	DriverNodePort = "mgmt-drivers-cnf-nodeport"
	// DriverAnsible runs the package's playbooks with Ansible.
	DriverAnsible = "mgmt-drivers-ansible"
	// DriverScripts runs the package's scripts. No VNFD names this driver: a VNFD names the scripts.
	DriverScripts = "windlass-scripts"
)

// ReplacedScripts maps the built-in drivers to the scripts of Tacker's packages that they replace.
var ReplacedScripts = map[string][]string{
	DriverKubernetes:      {"kubernetes_mgmt", "kubernetes_mgmt_v2", "kubernetes_mgmt_v2_driver"},
	DriverKubespray:       {"kubespray_mgmt"},
	DriverPrivateRegistry: {"private_registry_mgmt"},
	DriverNodePort:        {"cnf_nodeport_mgmt"},
	DriverAnsible:         {"ansible_driver"},
}

// WorksOnServers tells whether a driver works on servers; others are for VNFs of containers.
func WorksOnServers(driver string) bool { return driver != DriverNodePort }

// MakesCluster tells whether the driver of that name makes a Kubernetes cluster of a VNF's servers.
func MakesCluster(name string) bool { return name == DriverKubernetes || name == DriverKubespray }

// needsServers tells whether the driver of that name is for VNFs of VMs only.
func needsServers(name string) bool { return name != DriverNodePort && name != DriverScripts }

// BuiltinDriver finds the driver with that name, or the driver that replaces that script; "" if there is none.
func BuiltinDriver(name string) string {
	name = strings.TrimSuffix(path.Base(name), ".py")
	for driver, scripts := range ReplacedScripts {
		if name == driver || strings.ReplaceAll(name, "_", "-") == driver {
			return driver
		}
		if slices.Contains(scripts, name) {
			return driver
		}
	}
	return ""
}
