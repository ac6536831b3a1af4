package tacker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim/templates"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// maxPackage bounds the download of a package to check it; images of VMs are in the cloud, not in packages.
const maxPackage = 4 << 30

// builtInClasses are the user data classes that are part of Windlass.
var builtInClasses = []string{
	"DefaultUserData", lcm.StandardUserData, "KubernetesClusterUserData", "SampleUserData", "AbstractUserData",
}

// vnfPackage is the used part of SOL005's VnfPkgInfo.
type vnfPackage struct {
	ID              string `json:"id"`
	VnfdID          string `json:"vnfdId"`
	Product         string `json:"vnfProductName"`
	SoftwareVersion string `json:"vnfSoftwareVersion"`
	Onboarding      string `json:"onboardingState"`
	Operational     string `json:"operationalState"`
}

func (c *Client) packages(ctx context.Context, path string) (out []Finding, err error) {
	packages, err := list[vnfPackage](ctx, c, path)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		f := Finding{Kind: KindPackage, ID: p.ID, Name: strings.TrimSpace(p.Product + " " + p.SoftwareVersion)}
		if p.Onboarding != "ONBOARDED" {
			f.because(Stays, fmt.Sprintf("It is %s in Tacker and has no content to take over.", cmp.Or(p.Onboarding, "empty")))
		} else if err := c.checkPackage(ctx, p, &f); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// checkPackage downloads a package and takes it on board as Windlass would, but for keeping it.
func (c *Client) checkPackage(ctx context.Context, p vnfPackage, f *Finding) error {
	if p.Operational == "DISABLED" {
		f.because(Changes, "It is DISABLED in Tacker; after on-boarding: windlass package disable ID.")
	}
	file, size, err := c.download(ctx, packagesPath+"/"+url.PathEscape(p.ID)+"/package_content")
	if file != nil {
		defer func() { _, _ = file.Close(), os.Remove(file.Name()) }()
	}
	if e, ok := errors.AsType[*lcm.Error](err); ok && ctx.Err() == nil {
		f.because(Changes, "It could not be downloaded and checked: "+e.Sentence())
		return nil
	}
	if err != nil {
		return err
	}
	pkg, err := vnfpkg.Open(file, size, vnfpkg.Options{Templates: templates.Make})
	if e, ok := errors.AsType[*lcm.Error](err); ok {
		f.because(Stays, "On-boarding refuses it: "+e.Detail)
		for _, problem := range e.Problems {
			f.because(Stays, problem.Path+": "+problem.Detail)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("check package %s: %w", p.ID, err)
	}
	judge(pkg, f)
	return pkg.Err()
}

// download keeps a file for as long as it is looked at.
func (c *Client) download(ctx context.Context, path string) (*os.File, int64, error) {
	resp, err := c.get(ctx, path, "application/zip")
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	file, err := os.CreateTemp("", "windlass-migrate-check-*.zip")
	if err != nil {
		return nil, 0, fmt.Errorf("keep the package: %w", err)
	}
	size, err := io.Copy(file, io.LimitReader(resp.Body, maxPackage+1))
	switch {
	case err != nil:
		return file, size, lcm.Errorf(lcm.KindUnavailable, "the download broke off after %d bytes (%v)", size, err)
	case size > maxPackage:
		return file, size, lcm.Errorf(lcm.KindInvalid, "it is larger than the %d GiB that are downloaded", maxPackage>>30)
	}
	return file, size, nil
}

// judge predicts how Windlass will treat the requests of a package's VNFs.
func judge(pkg *vnfpkg.Package, f *Finding) {
	for i := range pkg.Vnfd.Flavours {
		flavour := &pkg.Vnfd.Flavours[i]
		missing := all.Drivers.Missing(flavour)
		for _, hook := range slices.Sorted(maps.Keys(missing)) {
			f.because(Stays, fmt.Sprintf("Flavour %s: %s is the management driver %q, which Windlass does not have. Its "+
				"VNFs cannot be instantiated.", flavour.ID, hook, missing[hook]))
		}
		for _, hook := range slices.Sorted(maps.Keys(flavour.Hooks)) {
			if h := flavour.Hooks[hook]; h.Driver == "" && h.File != "" && missing[hook] == "" {
				f.because(Changes, fmt.Sprintf("Flavour %s: Windlass runs the script %s of %s only if the operator's "+
					"scripts.policy is run; otherwise a step says that Windlass skips it.", flavour.ID, h.File, hook))
			}
		}
		if flavour.BaseHOT == "" && !flavour.Containers && !flavour.Hybrid {
			f.because(Stays, fmt.Sprintf("Flavour %s: the package has no Base HOT for it, and its VNFD describes neither VMs "+
				"nor containers that Windlass could make.", flavour.ID))
		}
	}
	classes := userDataClasses(pkg)
	for _, path := range slices.Sorted(maps.Keys(classes)) {
		f.because(Changes, fmt.Sprintf("%s has the user data class %s. Requests that name it need the operator's "+
			"userData.python; Tacker's own classes are built in.", path, strings.Join(classes[path], ", ")))
	}
	for _, w := range pkg.Warnings {
		if !slices.Contains(pkg.Undriven, w) { // told above, with what follows
			f.Reasons = append(f.Reasons, w.Path+": "+w.Detail)
		}
	}
}

var class = regexp.MustCompile(`(?m)^class\s+(\w+)`)

// userDataClasses are the package's classes that Windlass does not have, by their files.
func userDataClasses(pkg *vnfpkg.Package) map[string][]string {
	out := map[string][]string{}
	for artifact, text := range pkg.Files(1 << 20) {
		if !strings.HasPrefix(artifact.Path, "UserData/") || !strings.HasSuffix(artifact.Path, ".py") {
			continue
		}
		for _, m := range class.FindAllSubmatch(text, -1) {
			if name := string(m[1]); !slices.Contains(builtInClasses, name) {
				out[artifact.Path] = append(out[artifact.Path], name)
			}
		}
	}
	return out
}
