package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newPackage(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: "package", Aliases: []string{"pkg", "packages"}, Short: "Build, upload and show VNF packages (CSAR)"}
	cmd.AddCommand(newPackageBuild(c), newPackageCheck(c), newPackageRequest(c), newPackageCreate(c), newPackageUpload(c), newPackageList(c), newPackageShow(c),
		newPackageEnable(c), newPackageDisable(c), newPackageDelete(c))
	return cmd
}

// vnfPackage is the part of SOL005's VnfPkgInfo that tables show.
type vnfPackage struct {
	ID               string              `json:"id"`
	VnfdID           string              `json:"vnfdId"`
	Provider         string              `json:"vnfProvider"`
	Product          string              `json:"vnfProductName"`
	SoftwareVersion  string              `json:"vnfSoftwareVersion"`
	OnboardingState  lcm.OnboardingState `json:"onboardingState"`
	OperationalState string              `json:"operationalState"`
	UsageState       string              `json:"usageState"`
	Failure          *apiError           `json:"onboardingFailureDetails"`
	Warnings         []lcm.Problem       `json:"warnings"`
	Artifacts        []lcm.PkgArtifact   `json:"additionalArtifacts"`
}

func newPackageBuild(c *cli) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "build DIR",
		Short: "Make a CSAR of a directory",
		Long: `Make a CSAR of a directory: a zip with the digest of every file in TOSCA-Metadata/TOSCA.meta. The
command checks the result as an upload does.`,
		Example: "  windlass package build vnfpkg/samples/k8s-ha -o k8s-ha.zip",
		Args:    exactly("DIR"),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write; default: the directory's name with .zip, here")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if output == "" {
			abs, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("resolve %s: %w", args[0], err)
			}
			output = filepath.Base(abs) + ".zip"
		}
		size, err := buildPackage(args[0], output)
		if err != nil {
			return err
		}
		return c.print(map[string]any{"file": output, "size": size}, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %d bytes\n", output, size)
		})
	}
	return cmd
}

func newPackageCreate(c *cli) *cobra.Command {
	var from source
	cmd := &cobra.Command{
		Use:   "create FILE|DIR",
		Short: "Upload and on-board a package",
		Long: `Create a package, upload its content and wait until Windlass has on-boarded it. The command makes an
archive of a directory first. With --uri, in place of FILE or DIR, Windlass fetches the archive itself. If Windlass
refuses the package, or if you press Ctrl-C, the command deletes the package again.`,
		Example: "  windlass package create k8s-ha.zip\n  windlass package create vnfpkg/samples/k8s-ha\n" +
			"  windlass package create --uri https://repo.example/k8s-ha.zip",
		Args: from.inPlaceOf("FILE or DIR"),
	}
	from.addSourceFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		send, cleanup, err := c.sender(cmd, from, args)
		if err != nil {
			return err
		}
		defer cleanup()
		var pkg vnfPackage
		if _, err := c.client.send(cmd.Context(), http.MethodPost, packagesPath, map[string]any{}, &pkg); err != nil {
			return err
		}
		if err := c.onboard(cmd.Context(), pkg.ID, send); err != nil {
			_, deleteErr := c.client.send(context.WithoutCancel(cmd.Context()), http.MethodDelete, packagesPath+"/"+pkg.ID, nil,
				nil)
			switch {
			case deleteErr != nil:
				c.confirm("The command could not delete the package %s again: %s", pkg.ID, describe(deleteErr))
			case cmd.Context().Err() != nil:
				return errors.New("interrupted; the command has deleted the package again")
			}
			return err
		}
		return c.showPackage(cmd.Context(), pkg.ID)
	}
	return cmd
}

func newPackageUpload(c *cli) *cobra.Command {
	var from source
	cmd := &cobra.Command{
		Use:   "upload ID FILE",
		Short: "Upload the content of a package that has none",
		Long: `Upload the content of a package that has none. With --uri, in place of FILE, Windlass fetches it.
The command waits until Windlass has on-boarded or refused the package.

The password of --user comes from WINDLASS_PACKAGE_PASSWORD or from --password-file: every user of the host can read
arguments. Windlass keeps it sealed until it has the archive. The operator decides from where Windlass may fetch
packages.`,
		Example: "  windlass package upload 52a2f1f4-5c0f-4f06-9d4a-0c7a9b6a6f0e k8s-ha.zip\n" +
			"  windlass package upload 52a2f1f4-5c0f-4f06-9d4a-0c7a9b6a6f0e --uri https://repo.example/k8s-ha.zip --user nfv " +
			"--password-file repo.password",
		Args: from.inPlaceOf("FILE", "ID"),
	}
	from.addSourceFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		send, cleanup, err := c.sender(cmd, from, args[1:])
		if err != nil {
			return err
		}
		defer cleanup()
		if err := c.onboard(cmd.Context(), args[0], send); err != nil {
			return err
		}
		return c.showPackage(cmd.Context(), args[0])
	}
	return cmd
}

func newPackageList(c *cli) *cobra.Command {
	var f listFlags
	var selector string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the packages",
		Long:    "List the packages. -l chooses by their metadata, which SOL005 calls userDefinedData.",
		Example: "  windlass package list\n  windlass package list --sort-by product -o wide\n" +
			"  windlass package list -l 'vendor=acme' --filter '(eq,usageState,NOT_IN_USE)'",
		Args: exactly(),
	}
	addSelectorFlag(cmd, &selector)
	f.addListFlags(cmd)
	f.addFilterFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		selected, err := metadataFilter("userDefinedData", selector)
		if err != nil {
			return usageErrorf(cmd, "%s", sentence(err.Error()))
		}
		return showList(cmd, c, f, packageTable(), func(ctx context.Context) ([]json.RawMessage, error) {
			return list[json.RawMessage](ctx, c.client, packagesPath+filterText(f.filter, selected))
		})
	}
	return cmd
}

func packageTable() table[vnfPackage] {
	return table[vnfPackage]{kind: "package", id: func(p vnfPackage) string { return p.ID }, columns: []column[vnfPackage]{
		{name: "ID", of: func(p vnfPackage) any { return p.ID }},
		{name: "VNFD", of: func(p vnfPackage) any { return p.VnfdID }},
		{name: "PRODUCT", of: func(p vnfPackage) any { return p.Product }},
		{name: "VERSION", of: func(p vnfPackage) any { return p.SoftwareVersion }},
		{name: "ONBOARDING", of: func(p vnfPackage) any { return p.OnboardingState }},
		{name: "USAGE", of: func(p vnfPackage) any { return p.UsageState }},
		{name: "OPERATIONAL", of: func(p vnfPackage) any { return p.OperationalState }, wide: true},
		{name: "PROVIDER", of: func(p vnfPackage) any { return p.Provider }, wide: true},
	}}
}

func newPackageShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Aliases: []string{"describe", "get"},
		Short:   "Show one package with its warnings",
		Example: "  windlass package show 'Kubernetes cluster'",
		Args:    exactly("ID"),
		RunE:    func(cmd *cobra.Command, args []string) error { return c.showPackage(cmd.Context(), args[0]) },
	}
}

func newPackageEnable(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "enable ID...",
		Short:   "Let VNF instances be created of packages",
		Long:    "Allow VNF instances of packages again. On-boarding enables a package.",
		Example: "  windlass package enable 'Kubernetes cluster'",
		Args:    atLeastOne("ID"),
	}
	cmd.RunE = c.setOperational(lcm.PkgEnabled, "enabled")
	return cmd
}

func newPackageDisable(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "disable ID...",
		Short:   "Let no more VNF instances be created of packages",
		Long:    "Allow no new VNF instances of packages. VNFs that run go on.",
		Example: "  windlass package disable 'Kubernetes cluster'",
		Args:    atLeastOne("ID"),
	}
	cmd.RunE = c.setOperational(lcm.PkgDisabled, "disabled")
	return cmd
}

// setOperational changes the operationalState of packages. It is no error if a package has the state already.
func (c *cli) setOperational(state, done string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		for _, id := range args {
			path := packagesPath + "/" + id
			var pkg vnfPackage
			if err := c.client.get(cmd.Context(), path, &pkg); err != nil {
				return err
			}
			if pkg.OperationalState != state {
				if _, err := c.client.send(cmd.Context(), http.MethodPatch, path, map[string]string{"operationalState": state},
					nil); err != nil {
					return err
				}
			}
			c.confirm("Package %s is %s.", id, done)
		}
		return nil
	}
}

func newPackageDelete(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "delete ID...",
		Aliases: []string{"rm"},
		Short:   "Delete packages that no VNF instance uses",
		Long:    "Delete packages that no VNF instance uses. The command disables them first.",
		Example: "  windlass package delete 'Kubernetes cluster'",
		Args:    atLeastOne("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, id := range args {
				if err := c.deletePackage(cmd.Context(), packagesPath+"/"+id); err != nil {
					return err
				}
				c.confirm("Package %s is deleted.", id)
			}
			return nil
		},
	}
}

func (c *cli) deletePackage(ctx context.Context, path string) error {
	var pkg vnfPackage
	if err := c.client.get(ctx, path, &pkg); err != nil {
		return err
	}
	if pkg.OperationalState == lcm.PkgEnabled && pkg.UsageState == lcm.PkgNotInUse {
		disable := map[string]string{"operationalState": lcm.PkgDisabled}
		if _, err := c.client.send(ctx, http.MethodPatch, path, disable, nil); err != nil {
			return err
		}
	}
	_, err := c.client.send(ctx, http.MethodDelete, path, nil, nil)
	return err
}

func (c *cli) showPackage(ctx context.Context, id string) error {
	var raw json.RawMessage
	if err := c.client.get(ctx, packagesPath+"/"+id, &raw); err != nil {
		return err
	}
	p, err := decode[vnfPackage](raw)
	if err != nil {
		return err
	}
	return c.print(raw, func(w io.Writer) {
		field(w, "ID", p.ID)
		field(w, "VNFD", p.VnfdID)
		field(w, "Product", p.Provider+" "+p.Product+" "+p.SoftwareVersion)
		field(w, "On-boarding", p.OnboardingState)
		field(w, "Operational", p.OperationalState)
		field(w, "Usage", p.UsageState)
		if p.Failure != nil {
			field(w, "Failure", p.Failure.Detail)
		}
		for _, warning := range p.Warnings {
			field(w, "Warning", warning.Path+": "+warning.Detail)
		}
		field(w, "Files", len(p.Artifacts))
	})
}
