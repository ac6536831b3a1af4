// Package kinds registers all kinds of VIMs with the domain: their names, login forms and abilities. Whoever needs them
// imports the package for that alone. It also makes the templates of packages for them. What calls VIMs is in package
// internal/vim/all.
package kinds

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	kubernetes "github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/heat/generator"
	openstack "github.com/windlass-nfv/windlass/internal/vim/openstack/login"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/tosca"
)

func init() {
	lcm.RegisterVimKind(openstack.Kind)
	lcm.RegisterVimKind(kubernetes.Kind)
}

// Templates makes the templates of a flavour whose package has none, for each kind of VIMs that takes templates. The
// flavour keeps them.
func Templates(t *tosca.Topology, f *descriptor.Flavour) { generator.Templates(t, f) }
