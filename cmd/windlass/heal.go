package main

import (
	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newVnfHeal(c *cli) *cobra.Command {
	var how manner
	var vnfcs []string
	var all, keepVolumes bool
	var cause, params string
	cmd := &cobra.Command{
		Use:   "heal ID --vnfc ID,... | --all",
		Short: "Replace VNFCs of a VNF instance, or make the entire VNF anew",
		Long: `Give VNFCs of a VNF instance new VMs. --vnfc names them, by their ids in 'windlass vnf show' or by
the names of their nodes. A storage server gets new volumes, too. With --keep-volumes it keeps them. --all makes the
entire VNF anew: it first deletes all VMs with their data. A registry of images keeps its volume, also with --all.
With --keep-volumes=false it gets a new one.`,
		Example: `  windlass vnf heal edge-1 --vnfc worker-3f2a91c0 --cause "disk failure" --watch
  windlass vnf heal edge-1 --vnfc 0f1e6c1b-6a3b-4c41-9d36-6a2d1f0f7b55 --plan
  windlass vnf heal edge-1 --all --watch`,
		Args: exactly("ID"),
	}
	cmd.Flags().StringSliceVar(&vnfcs, "vnfc", nil, "the VNFCs to heal, by `ID,...` or by the name of their node")
	cmd.Flags().BoolVar(&all, "all", false, "make the entire VNF anew")
	cmd.Flags().StringVar(&cause, "cause", "", "`text` that says why; the operation keeps it")
	cmd.Flags().StringVar(&params, "params", "",
		"JSON `file` with additionalParams, such as other credentials; - for standard input")
	cmd.Flags().BoolVar(&keepVolumes, "keep-volumes", false,
		"keep the volumes of a healed storage server or registry, with all data; a registry keeps them by default")
	how.addMannerFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(vnfcs) == 0 && !all:
			return usageErrorf(cmd, "Name the VNFCs to heal with --vnfc. Without --vnfc Windlass makes the entire VNF anew: say --all if "+
				"that is meant.")
		case len(vnfcs) > 0 && all:
			return usageErrorf(cmd, "Give either --vnfc or --all.")
		}
		if all { // in the second version a request without VNFCs means their servers alone
			c.client = c.client.ofVersion(1)
		}
		request := map[string]any{}
		if len(vnfcs) > 0 {
			request["vnfcInstanceId"] = vnfcs
		}
		if cause != "" {
			request["cause"] = cause
		}
		if params != "" {
			additional, err := c.readFilled(cmd.Context(), params)
			if err != nil {
				return err
			}
			request["additionalParams"] = additional
		}
		if cmd.Flags().Changed("keep-volumes") {
			additional, ok := request["additionalParams"].(map[string]any)
			if !ok {
				additional = map[string]any{}
			}
			additional[lcm.KeepVolumes] = keepVolumes
			request["additionalParams"] = additional
		}
		return c.operate(cmd, args[0], lcm.OpHeal, request, how)
	}
	return cmd
}
