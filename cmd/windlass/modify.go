package main

import (
	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newVnfModify(c *cli) *cobra.Command {
	var watch, dryRun bool
	var name, description, patch string
	var metadata map[string]string
	cmd := &cobra.Command{
		Use:   "modify ID [--name N] [--description D] [--metadata K=V,...] [--patch FILE]",
		Short: "Modify the information of a VNF instance",
		Long: `Modify the information of a VNF instance: its name, its description, its metadata, or with --patch
every member of a VnfInfoModificationRequest of SOL003. It is a merge patch: values that you do not give stay as
they are. An empty value of --name, of --description or of a key of --metadata removes the present value.`,
		Example: `  windlass vnf modify edge-1 --name edge-2 --metadata site=north,rack= --watch
  windlass vnf modify edge-1 --patch new-credentials.json --watch`,
		Args: exactly("ID"),
	}
	cmd.Flags().StringVar(&name, "name", "", "new `name` of the instance")
	cmd.Flags().StringVar(&description, "description", "", "new `text` about its purpose")
	cmd.Flags().StringToStringVar(&metadata, "metadata", nil, "`key=value` pairs to keep with it")
	cmd.Flags().StringVar(&patch, "patch", "", "JSON `file` with a VnfInfoModificationRequest; - for standard input")
	addDryRunFlag(cmd, &dryRun)
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show the progress until the operation has ended")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		request := map[string]any{}
		if patch != "" {
			var err error
			if request, err = c.readFilled(cmd.Context(), patch); err != nil {
				return err
			}
		}
		for flag, attribute := range map[string]string{"name": "vnfInstanceName", "description": "vnfInstanceDescription"} {
			if cmd.Flags().Changed(flag) {
				request[attribute] = orNull(map[string]string{"name": name, "description": description}[flag])
			}
		}
		if len(metadata) > 0 {
			pairs := map[string]any{}
			for key, value := range metadata {
				pairs[key] = orNull(value)
			}
			request["metadata"] = pairs
		}
		if len(request) == 0 {
			return usageErrorf(cmd, "There is nothing to modify: give --name, --description, --metadata or --patch.")
		}
		if dryRun {
			return c.printRequest(request)
		}
		return c.operate(cmd, args[0], lcm.OpModifyInfo, request, manner{watch: watch})
	}
	return cmd
}

// orNull turns an empty value into null, which removes the member.
func orNull(value string) any {
	if value == "" {
		return nil
	}
	return value
}
