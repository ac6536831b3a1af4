package operations

import (
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ChangesRegistries reports whether a modification gives the nodes of a cluster other registries of images.
func (o *Operation) ChangesRegistries() bool {
	if o.Former.Instantiated == nil || !o.IsCluster() {
		return false
	}
	request, err := lcm.ParseModify(o.OpOcc.Params)
	if err != nil {
		return false // told where it is applied
	}
	_, given := request.Registries(o.Former)
	return given
}

// FormerRegistries are those that a modification replaces.
func (o *Operation) FormerRegistries() []k8s.PrivateRegistry {
	if o.Former.Instantiated == nil {
		return nil
	}
	params, _ := k8s.ParseParams(o.Former.Instantiated.AdditionalParams) // what cannot be read was refused with its request
	return params.PrivateRegistries
}
