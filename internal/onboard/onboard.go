// Package onboard takes VNF packages on board: it stores the archive, reads it, and records its description. The API
// server uses it for packages that clients send, the worker for packages that it fetches.
package onboard

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/vim/templates"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

// maxFile bounds the size of a package's file that the store keeps for activities.
const maxFile = 16 << 20

// Onboarder takes packages on board.
type Onboarder struct {
	Store  *store.Store
	Limits archive.Limits
	// Trust says whose packages are accepted; its zero value accepts all.
	Trust archive.Trust
	// Vnfd is the VNFD that a package must have; "" for any.
	Vnfd lcm.VnfdID
}

// Take brings a package from UPLOADING through PROCESSING to ONBOARDED; body is the archive. It streams: memory holds
// only a few MiB of the archive at once. pkg follows the states.
func (o *Onboarder) Take(ctx context.Context, pkg *lcm.VnfPkg, body io.Reader) error {
	_, sum, err := o.Store.SavePackageContent(ctx, pkg.ID, body)
	if err != nil {
		return err
	}
	pkg.ChecksumAlgo, pkg.Checksum = "SHA-256", sum
	if err := o.Advance(ctx, pkg, lcm.PkgProcessing); err != nil {
		return err
	}
	trust, warnings, err := o.unwrap(ctx, pkg)
	if err != nil {
		return err
	}
	content, size, err := o.Store.PackageContent(ctx, pkg.ID)
	if err != nil {
		return err
	}
	defer content.Close()
	csar, err := vnfpkg.Open(content, size, vnfpkg.Options{Limits: o.Limits, Trust: trust, Templates: templates.Make})
	if err != nil {
		return err
	}
	csar.Warnings = append(warnings, csar.Warnings...)
	if err := o.Store.SavePackageFiles(ctx, pkg.ID, csar.Files(maxFile)); err != nil {
		return err
	}
	if err := csar.Err(); err != nil {
		return err
	}
	if o.Vnfd != "" && csar.Vnfd.ID != o.Vnfd {
		return lcm.Errorf(lcm.KindInvalid, "The package has the VNFD %s, not %s.", csar.Vnfd.ID, o.Vnfd)
	}
	if err := describe(pkg, csar); err != nil {
		return err
	}
	pkg.Source = nil
	return o.Advance(ctx, pkg, lcm.PkgOnboarded)
}

// unwrap takes a package out of an envelope with a signature of the whole, and verifies the signature: only the package
// itself is stored and served. It returns the checks that the package itself still needs.
func (o *Onboarder) unwrap(
	ctx context.Context, pkg *lcm.VnfPkg,
) (trust archive.Trust, warnings []lcm.Problem, err error) {
	content, size, err := o.Store.PackageContent(ctx, pkg.ID)
	if err != nil {
		return trust, nil, err
	}
	defer content.Close()
	envelope, err := archive.OpenEnvelope(content, size, o.Limits)
	if err != nil || envelope == nil {
		return o.Trust, nil, err
	}
	if warnings, err = envelope.Verify(o.Trust); err != nil {
		return trust, nil, err
	}
	inner, err := envelope.Open()
	if err != nil {
		return trust, nil, err
	}
	defer func() { _ = inner.Close() }()
	_, pkg.Checksum, err = o.Store.SavePackageContent(ctx, pkg.ID, inner)
	trust = o.Trust
	if trust.Anchors != nil {
		trust.Required = false // every byte is signed already
	}
	return trust, warnings, err
}

// describe copies the package's description of itself.
func describe(pkg *lcm.VnfPkg, csar *vnfpkg.Package) error {
	v := csar.Vnfd
	pkg.VnfdID, pkg.Provider, pkg.ProductName = v.ID, v.Provider, v.ProductName
	pkg.SoftwareVersion, pkg.VnfdVersion = v.SoftwareVersion, v.Version
	pkg.Artifacts, pkg.Warnings, pkg.OperationalState = csar.Artifacts, csar.Warnings, lcm.PkgEnabled
	doc, err := json.Marshal(v)
	pkg.Vnfd = doc
	return err
}

// Advance stores a new state; a concurrent upload loses with a Conflict.
func (o *Onboarder) Advance(ctx context.Context, pkg *lcm.VnfPkg, state lcm.OnboardingState) error {
	pkg.OnboardingState, pkg.Updated = state, time.Now().UTC()
	if err := o.Store.UpdatePackage(ctx, *pkg); err != nil {
		return err
	}
	pkg.Version++
	return nil
}

// Revert makes a package CREATED again and keeps why, ready for another upload.
func (o *Onboarder) Revert(ctx context.Context, pkg lcm.VnfPkg, cause error) error {
	fresh := lcm.VnfPkg{
		ID: pkg.ID, OperationalState: lcm.PkgDisabled, UsageState: lcm.PkgNotInUse, UserDefinedData: pkg.UserDefinedData,
		Error: told(cause), Created: pkg.Created, Version: pkg.Version,
	}
	return o.Advance(ctx, &fresh, lcm.PkgCreated)
}

func told(cause error) *lcm.Error {
	if e, ok := errors.AsType[*lcm.Error](cause); ok && e.Kind != lcm.KindBug {
		return e
	}
	return lcm.Errorf(lcm.KindUnavailable, "The upload broke off; send the content again.")
}
