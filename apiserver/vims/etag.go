package vims

import (
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// vimTag is made of the time of the last change, which no other change has.
func vimTag(v lcm.Vim) string { return rest.NumberTag(v.Updated.UnixMicro()) }
