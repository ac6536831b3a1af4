package orchestrator

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Packages fetches archives of VNF packages.
type Packages struct {
	// Fetch downloads and onboards the package from its source. It does nothing for a package that needs no download.
	Fetch func(ctx context.Context, id lcm.VnfPkgID) error
	// GiveUp sets the package back to CREATED, with the reason.
	GiveUp func(ctx context.Context, id lcm.VnfPkgID, cause *lcm.Error) error
}

// FetchPackageInput names the package.
type FetchPackageInput struct {
	VnfPkgID lcm.VnfPkgID `json:"vnfPkgId"`
}

// FetchPackageOutput is empty.
type FetchPackageOutput struct{}

// FetchPackage downloads the archive of a package and onboards it.
//
// Idempotent: an archive replaces the rest of an earlier attempt, and an onboarded package does not change. It takes as
// long as the download, so it heartbeats. A cancel aborts it.
func (p *Packages) FetchPackage(ctx context.Context, in FetchPackageInput) (out FetchPackageOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "fetch the package", err) }()
	defer activities.Heartbeat(ctx)()
	return out, p.Fetch(ctx, in.VnfPkgID)
}

// GiveUpPackageInput names the package and the reason.
type GiveUpPackageInput struct {
	VnfPkgID lcm.VnfPkgID `json:"vnfPkgId"`
	Error    *lcm.Error   `json:"error"`
}

// GiveUpPackage sets a package back to CREATED after a failed download. Idempotent: it changes only a package that is
// still being downloaded.
func (p *Packages) GiveUpPackage(ctx context.Context, in GiveUpPackageInput) (out FetchPackageOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "give the package up", err) }()
	return out, p.GiveUp(ctx, in.VnfPkgID, in.Error)
}

// Subject is the package.
func (in FetchPackageInput) Subject() lcm.Subject { return lcm.Subject{VnfPkgID: in.VnfPkgID} }

// Subject is the package.
func (in GiveUpPackageInput) Subject() lcm.Subject { return lcm.Subject{VnfPkgID: in.VnfPkgID} }
