package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Packages fetches archives of VNF packages.
type Packages struct {
	// Fetch takes the package on board from where it is to come from. A package that has nothing to fetch any more is
	// done.
	Fetch func(ctx context.Context, id lcm.VnfPkgID) error
	// GiveUp makes it CREATED again, with the reason.
	GiveUp func(ctx context.Context, id lcm.VnfPkgID, cause *lcm.Error) error
}

// FetchPackageInput names the package.
type FetchPackageInput struct {
	VnfPkgID lcm.VnfPkgID `json:"vnfPkgId"`
}

// FetchPackageOutput has nothing to tell.
type FetchPackageOutput struct{}

// FetchPackage fetches the archive of a package and takes it on board.
//
// Idempotent: an archive takes the place of what an earlier attempt has left of it, and a package that is on board is
// left alone. It takes as long as the archive is large, so it heartbeats; a cancel breaks it off.
func (p *Packages) FetchPackage(ctx context.Context, in FetchPackageInput) (out FetchPackageOutput, err error) {
	defer func() { err = boundary(ctx, "fetch the package", err) }()
	defer heartbeat(ctx)()
	return out, p.Fetch(ctx, in.VnfPkgID)
}

// GiveUpPackageInput names the package and says why it is given up.
type GiveUpPackageInput struct {
	VnfPkgID lcm.VnfPkgID `json:"vnfPkgId"`
	Error    *lcm.Error   `json:"error"`
}

// GiveUpPackage makes a package CREATED again that could not be fetched. Idempotent: one that is no longer being
// fetched is left alone.
func (p *Packages) GiveUpPackage(ctx context.Context, in GiveUpPackageInput) (out FetchPackageOutput, err error) {
	defer func() { err = boundary(ctx, "give the package up", err) }()
	return out, p.GiveUp(ctx, in.VnfPkgID, in.Error)
}
