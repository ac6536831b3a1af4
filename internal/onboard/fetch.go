package onboard

import (
	"context"
	"encoding/json"
	"io"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// Fetcher takes packages on board from archives at other servers.
type Fetcher struct {
	Store   *store.Store
	Vault   *secrets.Vault
	Sources *nfvo.Fetcher
	// NFVO is also a source of packages; nil without an NFVO.
	NFVO *nfvo.Orchestrator
	// Trust says whose packages are accepted; its zero value accepts all.
	Trust archive.Trust
}

func (f *Fetcher) onboarder() *Onboarder { return &Onboarder{Store: f.Store, Trust: f.Trust} }

// Fetch takes a waiting package on board; it ignores a package that does not wait.
func (f *Fetcher) Fetch(ctx context.Context, id lcm.VnfPkgID) error {
	pkg, err := f.waiting(ctx, id)
	if err != nil || pkg == nil {
		return err
	}
	from, err := f.source(ctx, *pkg)
	if err != nil {
		return err
	}
	archive, err := f.open(ctx, from)
	if err != nil {
		return err
	}
	defer archive.Close()
	o := f.onboarder()
	o.Vnfd = from.NfvoVnfdID
	if pkg.OnboardingState != lcm.PkgUploading { // an earlier attempt had all of it
		if err := o.Advance(ctx, pkg, lcm.PkgUploading); err != nil {
			return err
		}
	}
	if err := o.Take(ctx, pkg, archive); err != nil {
		return err
	}
	return f.Vault.Delete(ctx, string(lcm.PkgSecrets(id)))
}

// open begins to read an archive, at the NFVO or at the client's address.
func (f *Fetcher) open(ctx context.Context, from lcm.PkgSource) (io.ReadCloser, error) {
	switch {
	case from.NfvoVnfdID == "":
		return f.Sources.Fetch(ctx, from)
	case f.NFVO == nil:
		return nil, lcm.Errorf(lcm.KindUnavailable,
			"The package must come from an NFVO, but this worker has no NFVO (nfvo.endpoint).")
	default:
		return f.NFVO.PackageContent(ctx, from.NfvoVnfdID)
	}
}

// GiveUp makes a package CREATED again that could not be fetched.
func (f *Fetcher) GiveUp(ctx context.Context, id lcm.VnfPkgID, cause *lcm.Error) error {
	pkg, err := f.waiting(ctx, id)
	if err != nil || pkg == nil {
		return err
	}
	if err := f.onboarder().Revert(ctx, *pkg, cause); err != nil {
		return err
	}
	return f.Vault.Delete(ctx, string(lcm.PkgSecrets(id)))
}

// waiting reads a package that waits for its fetch; nil if it no longer waits, or is gone.
func (f *Fetcher) waiting(ctx context.Context, id lcm.VnfPkgID) (*lcm.VnfPkg, error) {
	pkg, err := f.Store.Package(ctx, id)
	if lcm.Is(err, lcm.KindNotFound) || err == nil && len(pkg.Source) == 0 {
		return nil, nil
	}
	return &pkg, err
}

func (f *Fetcher) source(ctx context.Context, pkg lcm.VnfPkg) (from lcm.PkgSource, err error) {
	doc, err := secrets.OpenDocument(ctx, f.Vault, pkg.Source)
	if err != nil {
		return from, err
	}
	return from, json.Unmarshal(doc, &from)
}
