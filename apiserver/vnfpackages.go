package apiserver

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"github.com/windlass-nfv/windlass/apiserver/rest"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
	"github.com/windlass-nfv/windlass/internal/store"
)

// VNF package management in the manner of SOL005 clause 9, as Tacker has it.
func (s *Server) packageRoutes() []rest.Route {
	const pkg, onboarded = "/vnf_packages/:vnfPkgId", "/onboarded_vnf_packages/:vnfdId"
	return []rest.Route{
		rest.Post("/vnf_packages", s.createPackage),
		rest.Get("/vnf_packages", s.listPackages),
		rest.Get(pkg, s.readPackage),
		rest.Patch(pkg, s.patchPackage),
		rest.Delete(pkg, s.deletePackage),
		rest.Put(pkg+"/package_content", s.uploadPackage),
		rest.Get(pkg+"/package_content", s.readPackageContent),
		rest.Get(pkg+"/vnfd", s.readVnfd),
		rest.Post(pkg+"/package_content/upload_from_uri", s.uploadFromURI),
		rest.Get(pkg+"/artifacts/*", s.readArtifact),
		// The same packages by their VNFDs' ids, once they are on board (SOL003 clause 10.4).
		rest.Get("/onboarded_vnf_packages", s.listOnboarded),
		rest.Get(onboarded, s.readPackage),
		rest.Get(onboarded+"/package_content", s.readPackageContent),
		rest.Get(onboarded+"/vnfd", s.readVnfd),
		rest.Get(onboarded+"/artifacts/*", s.readArtifact),
	}
}

type checksumView struct {
	Algorithm string `json:"algorithm"`
	Hash      string `json:"hash"`
}

type artifactView struct {
	ArtifactPath string       `json:"artifactPath"`
	Checksum     checksumView `json:"checksum"`
	Metadata     struct{}     `json:"metadata"`
}

// packageView is VnfPkgInfo (SOL005 clause 9.5.2.5).
type packageView struct {
	ID                       lcm.VnfPkgID         `json:"id"`
	VnfdID                   lcm.VnfdID           `json:"vnfdId,omitempty"`
	VnfProvider              string               `json:"vnfProvider,omitempty"`
	VnfProductName           string               `json:"vnfProductName,omitempty"`
	VnfSoftwareVersion       string               `json:"vnfSoftwareVersion,omitempty"`
	VnfdVersion              string               `json:"vnfdVersion,omitempty"`
	Checksum                 *checksumView        `json:"checksum,omitempty"`
	SoftwareImages           []softwareImageView  `json:"softwareImages,omitempty"`
	AdditionalArtifacts      []artifactView       `json:"additionalArtifacts,omitempty"`
	OnboardingState          lcm.OnboardingState  `json:"onboardingState"`
	OperationalState         string               `json:"operationalState"`
	UsageState               string               `json:"usageState"`
	UserDefinedData          map[string]any       `json:"userDefinedData,omitempty"`
	OnboardingFailureDetails *rest.ProblemDetails `json:"onboardingFailureDetails,omitempty"`
	// Warnings is Windlass's own: what is odd about the package but was accepted.
	Warnings []lcm.Problem        `json:"warnings,omitempty"`
	Links    map[string]rest.Link `json:"_links"`
}

var packageListRules = rest.ListRules{
	View:   reflect.TypeFor[packageView](),
	Unused: []string{"compatibleSpecificationVersions", "packageSecurityOption", "signingCertificate", "vnfmInfo"}, // of newer versions
	Excluded: []string{
		"softwareImages", "additionalArtifacts", "userDefinedData", "checksum", "onboardingFailureDetails",
		"warnings",
	},
	Mandatory: []string{"id", "onboardingState", "operationalState", "usageState", "_links"},
}

func (s *Server) packageSelf(id lcm.VnfPkgID) string {
	return s.base + rest.PkgV1.Prefix + "/vnf_packages/" + string(id)
}

func (s *Server) viewOfPackage(p lcm.VnfPkg) packageView {
	self := s.packageSelf(p.ID)
	v := packageView{
		ID: p.ID, VnfdID: p.VnfdID, VnfProvider: p.Provider, VnfProductName: p.ProductName,
		VnfSoftwareVersion: p.SoftwareVersion,
		VnfdVersion:        p.VnfdVersion, OnboardingState: p.OnboardingState, OperationalState: p.OperationalState,
		UsageState: p.UsageState, UserDefinedData: p.UserDefinedData, OnboardingFailureDetails: problem.OfOperation(p.Error),
		Warnings: p.Warnings, SoftwareImages: imagesOf(p),
		Links: map[string]rest.Link{"self": {Href: self}, "packageContent": {Href: self + "/package_content"}},
	}
	if p.Checksum != "" {
		v.Checksum = &checksumView{p.ChecksumAlgo, p.Checksum}
	}
	for _, a := range p.Artifacts {
		v.AdditionalArtifacts = append(v.AdditionalArtifacts,
			artifactView{ArtifactPath: a.Path, Checksum: checksumView{a.Algorithm, a.Hash}})
	}
	if p.OnboardingState == lcm.PkgOnboarded {
		v.Links["vnfd"] = rest.Link{Href: self + "/vnfd"}
	}
	return v
}

type createPackageRequest struct {
	UserDefinedData map[string]any `json:"userDefinedData"`
}

func (s *Server) createPackage(c echo.Context) error {
	req, err := rest.Bind[createPackageRequest](c)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	pkg := lcm.VnfPkg{
		ID: rest.NewID[lcm.VnfPkgID](), OnboardingState: lcm.PkgCreated, OperationalState: lcm.PkgDisabled,
		UsageState: lcm.PkgNotInUse, UserDefinedData: req.UserDefinedData, Created: now, Updated: now, Version: 1,
	}
	if err := s.Store.CreatePackage(c.Request().Context(), pkg); err != nil {
		return err
	}
	view := s.viewOfPackage(pkg)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	rest.ShowTag(c, packageTag(pkg))
	return rest.WriteJSON(c, http.StatusCreated, view)
}

func (s *Server) listPackages(c echo.Context) error { return s.listFrom(c, s.Store.PackagePage) }

func (s *Server) listOnboarded(c echo.Context) error { return s.listFrom(c, s.Store.OnboardedPage) }

func (s *Server) listFrom(c echo.Context, page func(context.Context, store.Page) ([]lcm.VnfPkg, error)) error {
	return rest.ServeList(c, s.backend, rest.Listing[lcm.VnfPkg]{
		Rules: packageListRules,
		Page:  page,
		View:  func(p lcm.VnfPkg) (any, error) { return s.viewOfPackage(p), nil },
		ID:    func(p lcm.VnfPkg) string { return string(p.ID) },
	})
}

// pathPackage reads the package that the path names, by its own id or by its VNFD's.
func (s *Server) pathPackage(c echo.Context) (lcm.VnfPkg, error) {
	if vnfd := c.Param("vnfdId"); vnfd != "" {
		id, err := url.PathUnescape(vnfd)
		if err != nil {
			return lcm.VnfPkg{}, lcm.Errorf(lcm.KindNotFound, "There is no VNFD %q.", vnfd)
		}
		rest.InOwnProject(c) // a VNFD's id is one of a project
		return s.Store.PackageByVnfd(c.Request().Context(), lcm.VnfdID(id))
	}
	id, err := rest.IDParam[lcm.VnfPkgID](c, "vnfPkgId", "VNF package")
	if err != nil {
		return lcm.VnfPkg{}, err
	}
	pkg, err := s.Store.Package(c.Request().Context(), id)
	if err == nil {
		rest.InProjectOf(c, pkg.ProjectID)
	}
	return pkg, err
}

func (s *Server) readPackage(c echo.Context) error {
	if err := rest.NoQuery(c); err != nil {
		return err
	}
	pkg, err := s.pathPackage(c)
	if err != nil {
		return err
	}
	rest.ShowTag(c, packageTag(pkg))
	return rest.WriteResource(c, http.StatusOK, s.viewOfPackage(pkg))
}

type patchPackageRequest struct {
	OperationalState string         `json:"operationalState,omitempty" param:"enum=ENABLED|DISABLED"`
	UserDefinedData  map[string]any `json:"userDefinedData,omitempty"`
}

// patchPackage is SOL005 clause 9.4.3.3.4: a JSON merge patch of two attributes, answered with what changed.
func (s *Server) patchPackage(c echo.Context) error {
	pkg, err := s.pathPackage(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, packageTag(pkg), "VNF package"); err != nil {
		return err
	}
	req, err := rest.Bind[patchPackageRequest](c, "application/merge-patch+json")
	if err != nil {
		return err
	}
	if req.OperationalState == "" && req.UserDefinedData == nil {
		return lcm.Errorf(lcm.KindInvalid, "The request changes nothing: give operationalState or userDefinedData.")
	}
	if req.OperationalState != "" {
		if pkg.OnboardingState != lcm.PkgOnboarded {
			return lcm.Errorf(lcm.KindConflict, "The VNF package %s is %s; operationalState can be set once it is ONBOARDED.",
				pkg.ID, pkg.OnboardingState)
		}
		if req.OperationalState == pkg.OperationalState {
			return lcm.Errorf(lcm.KindConflict, "The VNF package %s is %s already.", pkg.ID, pkg.OperationalState)
		}
		pkg.OperationalState = req.OperationalState
	}
	if pkg.UserDefinedData, err = mergePatch(pkg.UserDefinedData, req.UserDefinedData); err != nil {
		return err
	}
	pkg.Updated = time.Now().UTC()
	if err := s.Store.UpdatePackage(c.Request().Context(), pkg); err != nil {
		return s.orPackageChanged(c, pkg.ID, err)
	}
	pkg.Version++
	rest.ShowTag(c, packageTag(pkg))
	return rest.WriteJSON(c, http.StatusOK, req)
}

// mergePatch is RFC 7396.
func mergePatch(doc, patch map[string]any) (map[string]any, error) {
	if patch == nil {
		return doc, nil
	}
	a, err := json.Marshal(maps.Collect(maps.All(doc))) // a nil map would be null, which nothing merges into
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	merged, err := jsonpatch.MergePatch(a, b)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindInvalid, err, "The patch of userDefinedData cannot be applied.")
	}
	var out map[string]any
	return out, json.Unmarshal(merged, &out)
}

func (s *Server) deletePackage(c echo.Context) error {
	pkg, err := s.pathPackage(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, packageTag(pkg), "VNF package"); err != nil {
		return err
	}
	if pkg.OperationalState == lcm.PkgEnabled {
		return lcm.Errorf(lcm.KindConflict, "The VNF package %s is ENABLED; set operationalState to DISABLED first.", pkg.ID)
	}
	ctx := c.Request().Context()
	if err := s.Store.DeletePackage(ctx, pkg.ID, pkg.Version); err != nil { // one that was enabled meanwhile stays
		return s.orPackageChanged(c, pkg.ID, err)
	}
	s.backend.Forget(ctx, lcm.PkgSecrets(pkg.ID))
	return c.NoContent(http.StatusNoContent)
}

// orPackageChanged makes a 412 of a refusal when the package has changed under a conditional request.
func (s *Server) orPackageChanged(c echo.Context, id lcm.VnfPkgID, err error) error {
	return rest.OrChanged(c, "VNF package", err, func() (string, error) {
		now, err := s.Store.Package(c.Request().Context(), id)
		return packageTag(now), err
	})
}
