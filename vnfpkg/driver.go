package vnfpkg

import (
	"path"
	"strings"
)

// driverScripts names the drivers that are part of Windlass, with the scripts of Tacker's packages that
// they replace.
var driverScripts = map[string][]string{
	"mgmt-drivers-kubernetes":       {"kubernetes_mgmt", "kubernetes_mgmt_v2", "kubernetes_mgmt_v2_driver"},
	"mgmt-drivers-kubespray":        {"kubespray_mgmt"},
	"mgmt-drivers-private-registry": {"private_registry_mgmt"},
}

// builtinDriver finds the driver of that name, or the one that replaces that script; "" when there is none.
func builtinDriver(name string) string {
	name = strings.TrimSuffix(path.Base(name), ".py")
	for driver, scripts := range driverScripts {
		if name == driver || strings.ReplaceAll(name, "_", "-") == driver {
			return driver
		}
		for _, script := range scripts {
			if name == script {
				return driver
			}
		}
	}
	return ""
}
