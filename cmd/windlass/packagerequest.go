package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/vnfpkg"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

func newPackageRequest(c *cli) *cobra.Command {
	var flavour string
	cmd := &cobra.Command{
		Use:   "request PACKAGE",
		Short: "Print a request to instantiate a VNF of a package, to be filled in",
		Long: `Print an InstantiateVnfRequest of SOL003 for a flavour of a package, as YAML with comments. Required
values begin with REPLACE-. Optional values are in comments, with their kinds and defaults. Replace all values that
begin with REPLACE-, and 'windlass vnf instantiate' takes the file. PACKAGE is a file or a directory, or the name or
the id of an on-boarded package. The request has the form of --lcm-version.`,
		Example: `  windlass package request k8s-ha --flavour ha > request.yaml
  windlass package request vnfpkg/samples/k8s-ha --flavour simple --lcm-version 2`,
		Args: exactly("PACKAGE"),
	}
	cmd.Flags().StringVar(&flavour, "flavour", "", "`id` of the flavour; required if the package has several")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.withNamedPackage(cmd.Context(), args[0], func(pkg *vnfpkg.Package) error {
			f, err := flavourNamed(&pkg.Vnfd, flavour)
			if err != nil {
				return err
			}
			heat, err := heatParameters(pkg, f)
			if err != nil {
				return err
			}
			version := 1
			if strings.HasSuffix(c.client.lcm, "/v2") {
				version = 2
			}
			_, err = fmt.Fprint(c.out, requestSkeleton(&pkg.Vnfd, f, heat, version))
			return err
		})
	}
	return cmd
}

// withNamedPackage calls do with the package of a file or a directory, or with an onboarded package.
func (c *cli) withNamedPackage(ctx context.Context, name string, do func(*vnfpkg.Package) error) error {
	if _, err := os.Stat(name); err == nil {
		return withPackage(name, do)
	}
	id, err := c.idOf(ctx, pkgNaming, name)
	if err != nil {
		return fmt.Errorf("%w; a file or a directory of that name is not there either", err)
	}
	return inTemporary(func(f *os.File) error {
		return c.client.download(ctx, packagesPath+"/"+id+"/package_content", f)
	}, func(f *os.File) error { return readPackage(f, do) })
}

// largestTemplate is far above the limit of Heat.
const largestTemplate = 4 << 20

// heatParameters are the parameters of the flavour's Base HOT that a request gives; none for VNFs of containers.
func heatParameters(pkg *vnfpkg.Package, f *descriptor.Flavour) ([]hot.Parameter, error) {
	if f.BaseHOT == "" {
		return nil, nil
	}
	files := map[string][]byte{}
	for artifact, content := range pkg.Files(largestTemplate) {
		files[artifact.Path] = content
	}
	template, err := hot.StackTemplate(f, func(path string) ([]byte, error) {
		content, found := files[path]
		if !found {
			return nil, fmt.Errorf("the package has no file %s", path)
		}
		return content, nil
	})
	if err != nil {
		return nil, err
	}
	return template.ToBeGiven(f)
}
