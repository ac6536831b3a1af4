package apiserver

import (
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func packageTag(p lcm.VnfPkg) string { return rest.NumberTag(p.Version) }
