// Package all has every kind of VIMs that Windlass can use, with all that calls them.
package all

import (
	kubernetes "github.com/windlass-nfv/windlass/internal/vim/kubernetes/kind"
	openstack "github.com/windlass-nfv/windlass/internal/vim/openstack/kind"
	"github.com/windlass-nfv/windlass/internal/vim/registry"
)

// Kinds are the kinds of VIMs.
var Kinds = []registry.Kind{openstack.Kind, kubernetes.Kind}
