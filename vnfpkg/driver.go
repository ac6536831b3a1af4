package vnfpkg

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

// driverScripts maps the built-in drivers to the scripts of Tacker's packages that they replace.
var driverScripts = map[string][]string{
	DriverKubernetes:      {"kubernetes_mgmt", "kubernetes_mgmt_v2", "kubernetes_mgmt_v2_driver"},
	DriverKubespray:       {"kubespray_mgmt"},
	DriverPrivateRegistry: {"private_registry_mgmt"},
	DriverNodePort:        {"cnf_nodeport_mgmt"},
	DriverAnsible:         {"ansible_driver"},
}

// MakesCluster tells whether the driver of that name makes a Kubernetes cluster of a VNF's servers.
func MakesCluster(name string) bool { return name == DriverKubernetes || name == DriverKubespray }

// needsServers tells whether the driver of that name is for VNFs of VMs only.
func needsServers(name string) bool { return name != DriverNodePort && name != DriverScripts }

// builtinDriver finds the driver with that name, or the driver that replaces that script; "" if there is none.
func builtinDriver(name string) string {
	name = strings.TrimSuffix(path.Base(name), ".py")
	for driver, scripts := range driverScripts {
		if name == driver || strings.ReplaceAll(name, "_", "-") == driver {
			return driver
		}
		if slices.Contains(scripts, name) {
			return driver
		}
	}
	return ""
}

// hooks reads the operations of the Vnflcm interface. TOSCA 1.3 puts them below "operations".
func (r *flavourReader) hooks(node *value) {
	vnflcm := node.at("interfaces", "Vnflcm")
	operations := []*value{vnflcm, vnflcm.at("operations")}
	for _, ops := range operations {
		for operation, item := range ops.members() {
			switch operation {
			case "type", "inputs", "operations", "notifications", "description":
				continue
			}
			if hook, ok := r.hook(node, operation, item); ok {
				if r.flavour.Hooks == nil {
					r.flavour.Hooks = map[string]Hook{}
				}
				r.flavour.Hooks[operation] = hook
			}
		}
	}
}

// hook reads one operation; false when nothing is to be done: there is no implementation, as in "instantiate: []", or
// one that does nothing.
func (r *flavourReader) hook(node *value, operation string, item *value) (Hook, bool) {
	implementation := item
	if item.isMap() {
		implementation = item.at("implementation")
	}
	name := implementation.str()
	for _, primary := range []*value{implementation.at("primary"), implementation.at("primary", "file")} {
		name = first(name, primary.str())
	}
	if name == "" {
		return Hook{}, false
	}
	hook := Hook{Implementation: name, Driver: builtinDriver(name)}
	artifact := node.at("artifacts", name)
	if file := first(artifact.at("file").str(), artifact.str()); file != "" {
		r.hookFile(&hook, artifact, file)
	} else if hook.Driver == "" {
		var ok bool
		if hook.File, ok = r.locate(item.file, name); !ok && !isFile(name) && !r.isIdle(hook, artifact) {
			r.rep.problem(item.place(), "the implementation of %s is %s, which is neither an artifact of the node nor a driver "+
				"of Windlass (%s)",
				operation, quoteName(name), strings.Join(sortedKeys(driverScripts), ", "))
		}
	}
	r.dependencies(&hook, node, implementation)
	if len(hook.Also) == 0 && r.isIdle(hook, artifact) {
		return Hook{}, false
	}
	r.playbooks(&hook, operation, item)
	r.hookInputs(&hook, item.at("inputs"))
	r.warnOfScripts(hook, operation, item)
	return hook, true
}

// isFile tells whether the name of an implementation names a file and not a driver.
func isFile(name string) bool { return strings.Contains(name, "/") || path.Ext(name) != "" }

// hookFile finds the script of an artifact. The script may be absent, or outside the package. Windlass does not run the
// scripts of Tacker's drivers: its built-in drivers replace those that it knows, and Tacker has its own scripts in its
// installation.
func (r *flavourReader) hookFile(hook *Hook, artifact *value, file string) {
	hook.File, _ = r.locate(artifact.file, file)
	if hook.Driver == "" {
		hook.Driver = builtinDriver(file)
	}
}
