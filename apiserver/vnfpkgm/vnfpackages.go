package vnfpkgm

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

// Routes are the routes of VNF package management as in SOL005 clause 9, in Tacker's form.
func (h *Handler) Routes() []rest.Route {
	const pkg, onboarded = "/vnf_packages/:vnfPkgId", "/onboarded_vnf_packages/:vnfdId"
	return []rest.Route{
		rest.Post("/vnf_packages", h.createPackage),
		rest.Get("/vnf_packages", h.listPackages),
		rest.Get(pkg, h.readPackage),
		rest.Patch(pkg, h.patchPackage),
		rest.Delete(pkg, h.deletePackage),
		rest.Put(pkg+"/package_content", h.uploadPackage),
		rest.Get(pkg+"/package_content", h.readPackageContent),
		rest.Get(pkg+"/vnfd", h.readVnfd),
		rest.Post(pkg+"/package_content/upload_from_uri", h.uploadFromURI),
		rest.Get(pkg+"/artifacts/*", h.readArtifact),
		// The same packages by their VNFDs' ids, once they are on board (SOL003 clause 10.4).
		rest.Get("/onboarded_vnf_packages", h.listOnboarded),
		rest.Get(onboarded, h.readPackage),
		rest.Get(onboarded+"/package_content", h.readPackageContent),
		rest.Get(onboarded+"/vnfd", h.readVnfd),
		rest.Get(onboarded+"/artifacts/*", h.readArtifact),
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
	// Warnings is Windlass's own: oddities of the package that were accepted.
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

func (h *Handler) packageSelf(id lcm.VnfPkgID) string {
	return h.Base + rest.PkgV1.Prefix + "/vnf_packages/" + string(id)
}

func (h *Handler) viewOfPackage(p lcm.VnfPkg) packageView {
	self := h.packageSelf(p.ID)
	v := packageView{
		ID: p.ID, VnfdID: p.VnfdID, VnfProvider: p.Provider, VnfProductName: p.ProductName,
		VnfSoftwareVersion: p.SoftwareVersion, VnfdVersion: p.VnfdVersion, OnboardingState: p.OnboardingState,
		OperationalState: p.OperationalState, UsageState: p.UsageState, UserDefinedData: p.UserDefinedData,
		OnboardingFailureDetails: problem.OfOperation(p.Error), Warnings: p.Warnings, SoftwareImages: imagesOf(p),
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

func (h *Handler) createPackage(c echo.Context) error {
	req, err := rest.Bind[createPackageRequest](c)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	pkg := lcm.VnfPkg{
		ID: rest.NewID[lcm.VnfPkgID](), OnboardingState: lcm.PkgCreated, OperationalState: lcm.PkgDisabled,
		UsageState: lcm.PkgNotInUse, UserDefinedData: req.UserDefinedData, Created: now, Updated: now, Version: 1,
	}
	if err := h.Store.CreatePackage(c.Request().Context(), pkg); err != nil {
		return err
	}
	view := h.viewOfPackage(pkg)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	rest.ShowTag(c, packageTag(pkg))
	return rest.WriteJSON(c, http.StatusCreated, view)
}

func (h *Handler) listPackages(c echo.Context) error { return h.listFrom(c, h.Store.PackagePage) }

func (h *Handler) listOnboarded(c echo.Context) error { return h.listFrom(c, h.Store.OnboardedPage) }

func (h *Handler) listFrom(c echo.Context, page func(context.Context, store.Page) ([]lcm.VnfPkg, error)) error {
	return rest.ServeList(c, h.Backend, rest.Listing[lcm.VnfPkg]{
		Rules: packageListRules,
		Page:  page,
		View:  func(p lcm.VnfPkg) (any, error) { return h.viewOfPackage(p), nil },
		ID:    func(p lcm.VnfPkg) string { return string(p.ID) },
	})
}

// pathPackage reads the package that the path names, by its own id or by its VNFD's.
func (h *Handler) pathPackage(c echo.Context) (lcm.VnfPkg, error) {
	if vnfd := c.Param("vnfdId"); vnfd != "" {
		id, err := url.PathUnescape(vnfd)
		if err != nil {
			return lcm.VnfPkg{}, lcm.Errorf(lcm.KindNotFound, "There is no VNFD %q.", vnfd)
		}
		rest.InOwnProject(c) // a VNFD's id is unique within a project
		return h.Store.PackageByVnfd(c.Request().Context(), lcm.VnfdID(id))
	}
	id, err := rest.IDParam[lcm.VnfPkgID](c, "vnfPkgId", "VNF package")
	if err != nil {
		return lcm.VnfPkg{}, err
	}
	pkg, err := h.Store.Package(c.Request().Context(), id)
	if err == nil {
		rest.InProjectOf(c, pkg.ProjectID)
	}
	return pkg, err
}

func (h *Handler) readPackage(c echo.Context) error {
	if err := rest.NoQuery(c); err != nil {
		return err
	}
	pkg, err := h.pathPackage(c)
	if err != nil {
		return err
	}
	rest.ShowTag(c, packageTag(pkg))
	return rest.WriteResource(c, http.StatusOK, h.viewOfPackage(pkg))
}

type patchPackageRequest struct {
	OperationalState string         `json:"operationalState,omitempty" param:"enum=ENABLED|DISABLED"`
	UserDefinedData  map[string]any `json:"userDefinedData,omitzero"` // empty in an answer: all was removed
}

// removesData tells whether a patch removes all userDefinedData (RFC 7396).
func removesData(body []byte) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(body, &members) == nil && string(members["userDefinedData"]) == "null"
}

// patchPackage is SOL005 clause 9.4.3.3.4: a JSON merge patch of two attributes. The answer holds the changed
// attributes.
func (h *Handler) patchPackage(c echo.Context) error {
	pkg, err := h.pathPackage(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, packageTag(pkg), "VNF package"); err != nil {
		return err
	}
	body, err := rest.ReadJSON(c, "application/merge-patch+json")
	if err != nil {
		return err
	}
	req, err := rest.DecodeKnown[patchPackageRequest](body, "$", nil)
	if err != nil {
		return err
	}
	removes := removesData(body)
	if req.OperationalState == "" && req.UserDefinedData == nil && !removes {
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
	if removes {
		pkg.UserDefinedData, req.UserDefinedData = nil, map[string]any{}
	}
	pkg.Updated = time.Now().UTC()
	if err := h.Store.UpdatePackage(c.Request().Context(), pkg); err != nil {
		return h.orPackageChanged(c, pkg.ID, err)
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

func (h *Handler) deletePackage(c echo.Context) error {
	pkg, err := h.pathPackage(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, packageTag(pkg), "VNF package"); err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := h.Store.CheckPackageUnused(ctx, pkg.ID); err != nil { // else the client would disable it first, in vain
		return err
	}
	if pkg.OperationalState == lcm.PkgEnabled {
		return lcm.Errorf(lcm.KindConflict, "The VNF package %s is ENABLED; set operationalState to DISABLED first.", pkg.ID)
	}
	if err := h.Store.DeletePackage(ctx, pkg.ID, pkg.Version); err != nil { // a package that was enabled meanwhile stays
		return h.orPackageChanged(c, pkg.ID, err)
	}
	h.Forget(ctx, lcm.PkgSecrets(pkg.ID))
	return c.NoContent(http.StatusNoContent)
}

// orPackageChanged makes a 412 of a refusal when the package has changed under a conditional request.
func (h *Handler) orPackageChanged(c echo.Context, id lcm.VnfPkgID, err error) error {
	return rest.OrChanged(c, "VNF package", err, func() (string, error) {
		now, err := h.Store.Package(c.Request().Context(), id)
		return packageTag(now), err
	})
}
