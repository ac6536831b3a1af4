package vnfpkgm

import (
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// packageTag grows with every change of the package.
func packageTag(p lcm.VnfPkg) string { return rest.NumberTag(p.Version) }
