// Package vnfpkgm is VNF package management at /vnfpkgm/v1, in the manner of SOL005.
package vnfpkgm

import (
	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/onboard"
)

// Handler serves VNF packages.
type Handler struct {
	*rest.Backend
	Onboarder *onboard.Onboarder
	// Sources refuses URIs that no package is fetched from; nil takes them as they are.
	Sources Sources
}

// Sources tells where packages may be fetched from.
type Sources interface {
	Check(uri string) error
}
