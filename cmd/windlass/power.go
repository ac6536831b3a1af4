package main

import (
	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newVnfOperate(c *cli) *cobra.Command {
	var how manner
	var vnfcs []string
	var start, stop bool
	var graceful int
	cmd := &cobra.Command{
		Use:   "operate ID --start | --stop",
		Short: "Start or stop a VNF instance, or some of its VNFCs",
		Long: `Start or stop the VMs of a VNF instance, all of them or those that --vnfc names. Windlass stops the
workers of a cluster before its control planes, and starts them the other way round; a start ends when etcd and the
nodes work. With --graceful Windlass first drains the nodes that stop, while others go on.`,
		Example: `  windlass vnf operate edge-1 --stop --watch
  windlass vnf operate edge-1 --stop --graceful 120 --vnfc worker-3f2a91c0 --plan
  windlass vnf operate edge-1 --start --watch`,
		Args: exactly("ID"),
	}
	cmd.Flags().BoolVar(&start, "start", false, "start the VMs")
	cmd.Flags().BoolVar(&stop, "stop", false, "stop the VMs")
	cmd.Flags().IntVar(&graceful, "graceful", 0, "when stopping, wait up to so many `seconds` until the nodes are drained")
	cmd.Flags().StringSliceVar(&vnfcs, "vnfc", nil,
		"the VNFCs, by `ID,...` or by the name of their node; all of them without it")
	how.addMannerFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case start == stop:
			return usageErrorf(cmd, "Give either --start or --stop.")
		case start && graceful > 0:
			return usageErrorf(cmd, "--graceful is for --stop only.")
		}
		request := map[string]any{"changeStateTo": lcm.VnfStarted}
		if stop {
			request["changeStateTo"] = lcm.VnfStopped
		}
		if graceful > 0 {
			request["stopType"], request["gracefulStopTimeout"] = lcm.Graceful, graceful
		}
		if len(vnfcs) > 0 {
			request["vnfcInstanceId"] = vnfcs
		}
		return c.operate(cmd, args[0], lcm.OpOperate, request, how)
	}
	return cmd
}
