package vnfpkgm

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

const (
	mimeZip = "application/zip"
	// abandonedAfter is the time after which an upload may begin again if its server died.
	abandonedAfter = 10 * time.Minute
)

// uploadPackage streams a CSAR into the store and reads it. The answer, and not only the package's state, tells that a
// package cannot be used. The package is then CREATED again, ready for the next upload.
func (h *Handler) uploadPackage(c echo.Context) error {
	pkg, err := h.pathPackage(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, packageTag(pkg), "VNF package"); err != nil {
		return err
	}
	if media, _, _ := mime.ParseMediaType(c.Request().Header.Get("Content-Type")); media != "" && media != mimeZip &&
		media != "application/octet-stream" {
		return rest.HTTPErrorf(http.StatusUnsupportedMediaType, "The body must be %s, not %q.", mimeZip, media)
	}
	if c.Request().Header.Get("Content-Range") != "" { // RFC 9110 clause 14.5: else the part would be taken for the whole
		return lcm.Errorf(lcm.KindInvalid, "A VNF package is uploaded as a whole, without the header Content-Range.")
	}
	if err := uploadable(pkg); err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := h.onboard(ctx, &pkg, c.Request().Body); err != nil {
		h.revert(ctx, pkg, err)
		return err
	}
	return c.NoContent(http.StatusAccepted)
}

// uploadable refuses an upload to a package that has content, or gets some.
func uploadable(pkg lcm.VnfPkg) error {
	passing := pkg.OnboardingState == lcm.PkgUploading || pkg.OnboardingState == lcm.PkgProcessing
	// A worker's fetch is never abandoned: another worker goes on.
	abandoned := passing && len(pkg.Source) == 0 && time.Since(pkg.Updated) > abandonedAfter
	if pkg.OnboardingState != lcm.PkgCreated && !abandoned {
		return lcm.Errorf(lcm.KindConflict, "The VNF package %s is %s; content can be uploaded while it is CREATED.", pkg.ID,
			pkg.OnboardingState)
	}
	return nil
}

// onboard takes a package through UPLOADING and PROCESSING to ONBOARDED.
func (h *Handler) onboard(ctx context.Context, pkg *lcm.VnfPkg, body io.Reader) error {
	pkg.Error = nil
	if err := h.Onboarder.Advance(ctx, pkg, lcm.PkgUploading); err != nil {
		return err
	}
	return h.Onboarder.Take(ctx, pkg, body)
}

// revert makes a package CREATED again and stores the cause. The client may have gone, so revert uses a separate
// context.
func (h *Handler) revert(ctx context.Context, pkg lcm.VnfPkg, cause error) {
	if pkg.OnboardingState == lcm.PkgUploading && lcm.Is(cause, lcm.KindConflict) {
		return // another upload was faster: the state is its own
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := h.Onboarder.Revert(ctx, pkg, cause); err != nil {
		h.Log.WarnContext(ctx, "VNF package not reset to CREATED", "vnfPkgId", pkg.ID, "error", err)
	}
}

type uploadFromURIRequest struct {
	AddressInformation string `json:"addressInformation" param:"required"`
	UserName           string `json:"userName"`
	Password           string `json:"password"`
}

// uploadFromURI lets a worker fetch the archive (SOL005 clause 9.4.6.3.1). The package shows the result: ONBOARDED, or
// CREATED again with onboardingFailureDetails.
func (h *Handler) uploadFromURI(c echo.Context) error {
	pkg, err := h.pathPackage(c)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, packageTag(pkg), "VNF package"); err != nil {
		return err
	}
	body, err := rest.ReadJSON(c)
	if err != nil {
		return err
	}
	req, err := rest.Decode[uploadFromURIRequest](body)
	if err != nil {
		return err
	}
	if h.Sources != nil {
		if err := h.Sources.Check(req.AddressInformation); err != nil {
			return lcm.InvalidAll("The request has mistakes",
				[]lcm.Problem{{Path: "$.addressInformation", Detail: rest.Sentence(err)}})
		}
	}
	if err := uploadable(pkg); err != nil {
		return err
	}
	ctx := c.Request().Context()
	prefix := lcm.PkgSecrets(pkg.ID) + "/" + rest.NewID[lcm.SecretRef]() // another request at the same time has its own
	if pkg.Source, err = secrets.SealDocument(ctx, h.Vault, prefix, body); err == nil {
		pkg.Error = nil
		err = h.Onboarder.Advance(ctx, &pkg, lcm.PkgUploading)
	}
	err = h.Stored(ctx, string(pkg.ID), prefix, err, func(ctx context.Context) error {
		now, err := h.Store.Package(ctx, pkg.ID)
		if err == nil && (now.OnboardingState != lcm.PkgUploading ||
			!slices.Equal(rest.ReferencesIn(now.Source), rest.ReferencesIn(pkg.Source))) {
			return lcm.Errorf(lcm.KindNotFound, "The package has another source, or none.")
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := h.Store.Nudge(ctx); err != nil {
		h.Log.WarnContext(ctx, "The worker was not notified of the package; it finds the package a little later",
			"vnfPkgId", pkg.ID, "error", err)
	}
	return c.NoContent(http.StatusAccepted)
}

// onboarded reads the package of the path; its content exists only in ONBOARDED.
func (h *Handler) onboarded(c echo.Context) (lcm.VnfPkg, error) {
	pkg, err := h.pathPackage(c)
	if err == nil && pkg.OnboardingState != lcm.PkgOnboarded {
		err = lcm.Errorf(lcm.KindConflict, "The VNF package %s is %s; it has content once it is ONBOARDED.", pkg.ID,
			pkg.OnboardingState)
	}
	return pkg, err
}

func (h *Handler) readPackageContent(c echo.Context) error {
	pkg, err := h.onboarded(c)
	if err != nil {
		return err
	}
	// Accept is not looked at: python-tackerclient asks for JSON and wants the archive.
	content, _, err := h.Store.PackageContent(c.Request().Context(), pkg.ID)
	if err != nil {
		return err
	}
	defer content.Close()
	return serveRange(c, mimeZip, pkg.Updated, content)
}

// readArtifact serves one file of the package: small files from the store that activities read, large files and images
// from the archive.
func (h *Handler) readArtifact(c echo.Context) error {
	pkg, err := h.onboarded(c)
	if err != nil {
		return err
	}
	name, err := url.PathUnescape(c.Param("*"))
	if err != nil || !hasFile(pkg, name) {
		return lcm.Errorf(lcm.KindNotFound, "The VNF package %s has no artifact %q.", pkg.ID, name)
	}
	ctx := c.Request().Context()
	data, err := h.Store.PackageFile(ctx, pkg.ID, name)
	if err == nil {
		return serveRange(c, "application/octet-stream", pkg.Updated, bytes.NewReader(data))
	}
	if !lcm.Is(err, lcm.KindNotFound) {
		return err
	}
	content, size, err := h.Store.PackageContent(ctx, pkg.ID)
	if err != nil {
		return err
	}
	defer content.Close()
	file, err := archive.OpenFile(content, size, name)
	if err != nil {
		return err
	}
	defer file.Close()
	return serveRange(c, "application/octet-stream", pkg.Updated, file)
}

// hasFile tells whether a file is an artifact of the package, or an image.
func hasFile(pkg lcm.VnfPkg, name string) bool {
	return slices.ContainsFunc(pkg.Artifacts, func(a lcm.PkgArtifact) bool { return a.Path == name }) ||
		slices.ContainsFunc(imagesOf(pkg), func(i softwareImageView) bool { return i.ImagePath == name })
}

// serveRange answers 200, 206 or 416.
func serveRange(c echo.Context, contentType string, modified time.Time, content io.ReadSeeker) error {
	if !plainRange(c.Request().Header) {
		return rest.HTTPErrorf(http.StatusRequestedRangeNotSatisfiable, "The range %q has no byte.",
			c.Request().Header.Get("Range"))
	}
	w := &rangeWriter{ResponseWriter: c.Response()}
	c.Response().Header().Set("Content-Type", contentType)
	c.Response().Header().Set("Accept-Ranges", bytesUnit)
	http.ServeContent(w, c.Request(), "", modified, content)
	if w.refused != 0 {
		c.Response().Header().Del("Content-Type")
	}
	switch w.refused {
	case http.StatusRequestedRangeNotSatisfiable:
		return rest.HTTPErrorf(w.refused, "The content does not have the bytes %q.", c.Request().Header.Get("Range"))
	case http.StatusPreconditionFailed:
		return rest.HTTPErrorf(w.refused, "The content does not match If-Match or If-Unmodified-Since.")
	default:
		return nil
	}
}

const bytesUnit = "bytes"

// plainRange makes the header Range one that net/http reads as RFC 9110 clause 14 says: units are case-insensitive, and a
// unit that the server does not know is ignored. It returns false for no byte at all, which net/http would serve.
func plainRange(header http.Header) bool {
	unit, ranges, ok := strings.Cut(header.Get("Range"), "=")
	switch {
	case !ok:
		return true
	case !strings.EqualFold(strings.TrimSpace(unit), bytesUnit):
		header.Del("Range")
		return true
	}
	header.Set("Range", bytesUnit+"="+ranges)
	return strings.TrimSpace(ranges) != "-0"
}

// rangeWriter keeps net/http's own 412 and 416 back, because every error here is a ProblemDetails.
type rangeWriter struct {
	http.ResponseWriter
	refused int // the status, 0 for content
}

func (w *rangeWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable || status == http.StatusPreconditionFailed {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *rangeWriter) Write(b []byte) (int, error) {
	if w.refused != 0 {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// readVnfd serves the descriptor: the YAML file itself if it is the only one and the client takes text, else a ZIP
// archive of all files (SOL005 clause 9.4.4.3.2).
func (h *Handler) readVnfd(c echo.Context) error {
	pkg, err := h.onboarded(c)
	if err != nil {
		return err
	}
	names, err := definitionsOf(pkg)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if len(names) == 1 && rest.Accepts(c, "text/plain") {
		data, err := h.Store.PackageFile(ctx, pkg.ID, names[0])
		if err != nil {
			return err
		}
		// Without a charset, and YAML is UTF-8 anyway: Tacker's client knows the text by this name only.
		return c.Blob(http.StatusOK, "text/plain", data)
	}
	if !rest.Accepts(c, mimeZip) {
		return rest.HTTPErrorf(http.StatusNotAcceptable, "The VNFD has %d files and can only be read as %s.", len(names),
			mimeZip)
	}
	archive, err := h.zipFiles(ctx, pkg.ID, append(names, "TOSCA-Metadata/TOSCA.meta"))
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, mimeZip, archive)
}

// definitionsOf are the files of a package's VNFD: the files that were read as the VNFD, wherever they are, and the
// other files in the directory of definitions.
func definitionsOf(pkg lcm.VnfPkg) ([]string, error) {
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range pkg.Artifacts {
		ext := path.Ext(a.Path)
		inTheirPlace := strings.HasPrefix(a.Path, "Definitions/") && (ext == ".yaml" || ext == ".yml")
		if inTheirPlace || slices.Contains(vnfd.Definitions, a.Path) {
			names = append(names, a.Path)
		}
	}
	return names, nil
}

func (h *Handler) zipFiles(ctx context.Context, id lcm.VnfPkgID, names []string) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		data, err := h.Store.PackageFile(ctx, id, name)
		if lcm.Is(err, lcm.KindNotFound) {
			continue // TOSCA.meta is not in every package
		}
		if err != nil {
			return nil, err
		}
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil { // writes the directory
		return nil, err
	}
	return b.Bytes(), nil
}
