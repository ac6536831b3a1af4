package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/vim/templates"
	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/archive"
)

func newPackageCheck(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE|DIR",
		Short: "Show the errors of a package, without a server",
		Long: `Show the errors and warnings of a package, as Windlass shows them when you on-board it. The command
asks no server. It builds a directory first, and leaves nothing behind. It does not know which signature the
operator wants.`,
		Example: "  windlass package check k8s-ha.zip\n  windlass package check vnfpkg/samples/k8s-ha",
		Args:    exactly("FILE or DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			return withPackage(args[0], func(pkg *vnfpkg.Package) error { return c.printChecked(args[0], pkg) })
		},
	}
}

// withPackage calls do with the package in a file, in an envelope, or built from a directory.
func withPackage(path string, do func(*vnfpkg.Package) error) error {
	file, cleanup, err := archiveOf(path)
	if err != nil {
		return err
	}
	defer cleanup()
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read the package: %w", err)
	}
	defer f.Close()
	return readPackage(f, do)
}

func readPackage(f *os.File, do func(*vnfpkg.Package) error) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read the package: %w", err)
	}
	envelope, err := archive.OpenEnvelope(f, info.Size(), archive.Limits{})
	if err != nil {
		return err
	}
	if envelope != nil {
		return withInner(envelope, do)
	}
	pkg, err := vnfpkg.Open(f, info.Size(), vnfpkg.Options{Templates: templates.Make})
	if err != nil {
		return err
	}
	return do(pkg)
}

// withInner calls do with the package in an envelope with its signature.
func withInner(envelope *archive.Envelope, do func(*vnfpkg.Package) error) (err error) {
	warnings, err := envelope.Verify(archive.Trust{})
	if err != nil {
		return err
	}
	inner, err := envelope.Open()
	if err != nil {
		return err
	}
	defer inner.Close()
	return inTemporary(func(f *os.File) error { _, err := io.Copy(f, inner); return err }, func(f *os.File) error {
		return readPackage(f, func(pkg *vnfpkg.Package) error {
			pkg.Warnings = append(warnings, pkg.Warnings...)
			return do(pkg)
		})
	})
}

// inTemporary calls do with a temporary file, and removes the file afterwards.
func inTemporary(fill, do func(*os.File) error) error {
	f, err := os.CreateTemp("", "windlass-package-*.zip")
	if err != nil {
		return fmt.Errorf("keep the package for a moment: %w", err)
	}
	defer func() { _ = errors.Join(f.Close(), os.Remove(f.Name())) }()
	if err := fill(f); err != nil {
		return err
	}
	return do(f)
}

func (c *cli) printChecked(path string, pkg *vnfpkg.Package) error {
	v := pkg.Vnfd
	var flavours []string
	for _, f := range v.Flavours {
		flavours = append(flavours, f.ID)
	}
	return c.print(map[string]any{
		"vnfdId": v.ID, "vnfProvider": v.Provider, "vnfProductName": v.ProductName, "vnfSoftwareVersion": v.SoftwareVersion,
		"flavours": flavours, "warnings": pkg.Warnings,
	}, func(w io.Writer) {
		field(w, "Package", path+" can be used")
		field(w, "VNFD", v.ID)
		field(w, "Product", strings.TrimSpace(v.Provider+" "+v.ProductName+" "+v.SoftwareVersion))
		field(w, "Flavours", strings.Join(flavours, ", "))
		for _, warning := range pkg.Warnings {
			field(w, "Warning", warning.Path+": "+warning.Detail)
		}
	})
}
