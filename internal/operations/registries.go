package operations

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// ChangesRegistries reports whether a modification changes the image registries of a cluster's nodes.
func (o *Operation) ChangesRegistries() bool {
	if o.Former.Instantiated == nil || !o.IsCluster() {
		return false
	}
	request, _ := o.Own.(lcm.ModifyRequest)
	_, given := request.Registries(o.Former)
	return given
}
