// Package all registers the drivers that are part of Windlass. Only this package names all of them.
package all

import (
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/ansible"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/driver/script"
)

// Drivers are the drivers of this release.
var Drivers = driver.Set{
	kubeadm.Driver{}, kubespray.Driver{}, registry.Driver{}, nodeport.Driver{}, ansible.Driver{}, script.Driver{},
}
