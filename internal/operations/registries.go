package operations

import (
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
