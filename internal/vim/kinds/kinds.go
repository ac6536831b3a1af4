// Package kinds registers all kinds of VIMs with the domain: their names, login forms and abilities. Whoever needs them
// imports the package for that alone. What calls VIMs is in package internal/vim/all.
package kinds

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	kubernetes "github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
	openstack "github.com/windlass-nfv/windlass/internal/vim/openstack/login"
)

func init() {
	lcm.RegisterVimKind(openstack.Kind)
	lcm.RegisterVimKind(kubernetes.Kind)
}
