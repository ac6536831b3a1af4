package main

import (
	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// leavers chooses the VMs that go in a scaling in.
type leavers struct {
	vnfcs  []string
	policy string
}

func (l *leavers) addChoiceFlags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&l.vnfcs, "vnfc", nil,
		"the VNFCs to remove, by `ID,...` or by the name of their node; give exactly as many as the operation removes")
	cmd.Flags().StringVar(&l.policy, "policy", "",
		"which VNFCs to remove after VNFCs that do not work: `newest` (the default) or oldest first")
}

// add puts the choice into a request.
func (l *leavers) add(request map[string]any) {
	params := map[string]any{}
	if len(l.vnfcs) > 0 {
		params["vnfc_instance_ids"] = l.vnfcs
	}
	if l.policy != "" {
		params["scale_in_policy"] = l.policy
	}
	if len(params) > 0 {
		request["additionalParams"] = params
	}
}

func newVnfScale(c *cli) *cobra.Command {
	var how manner
	var who leavers
	var aspect string
	var out, in int
	cmd := &cobra.Command{
		Use:   "scale ID --aspect A --out N | --in N",
		Short: "Scale a VNF instance out or in by steps of an aspect",
		Long: `Scale an aspect of a VNF instance out or in by a number of steps; 'windlass vnf show' has the
aspects and their levels. Scaling in first takes VNFCs that do not work, then the newest; --vnfc names others
instead. --plan shows which VNFCs Windlass would remove now.`,
		Example: `  windlass vnf scale edge-1 --aspect worker_instance --out 2 --watch
  windlass vnf scale edge-1 --aspect worker_instance --in 1 --plan
  windlass vnf scale edge-1 --aspect worker_instance --in 1 --vnfc worker-3f2a91c0`,
		Args: exactly("ID"),
	}
	cmd.Flags().StringVar(&aspect, "aspect", "", "`name` of the scaling aspect")
	cmd.Flags().IntVar(&out, "out", 0, "scale out by so many `steps`")
	cmd.Flags().IntVar(&in, "in", 0, "scale in by so many `steps`")
	who.addChoiceFlags(cmd)
	how.addMannerFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case aspect == "":
			return usageErrorf(cmd, "--aspect is missing.")
		case cmd.Flags().Changed("out") == cmd.Flags().Changed("in"):
			return usageErrorf(cmd, "Give either --out or --in.")
		case out < 0 || in < 0 || out+in == 0:
			return usageErrorf(cmd, "The number of steps must be 1 or more.")
		}
		request := map[string]any{"type": lcm.ScaleOut, "aspectId": aspect, "numberOfSteps": out + in}
		if in > 0 {
			request["type"] = lcm.ScaleIn
		}
		who.add(request)
		return c.operate(cmd, args[0], lcm.OpScale, request, how)
	}
	return cmd
}

func newVnfScaleToLevel(c *cli) *cobra.Command {
	var how manner
	var who leavers
	var level string
	var aspects map[string]int
	cmd := &cobra.Command{
		Use:   "scale-to-level ID --level L | --aspect A=N,...",
		Short: "Scale a VNF instance to an instantiation level, or aspects to scale levels",
		Long: `Scale a VNF instance to an instantiation level of its VNFD, or some of its aspects each to a scale
level. Some aspects may grow while others shrink: Windlass makes the new VNFCs before it removes others.`,
		Example: `  windlass vnf scale-to-level edge-1 --level instantiation_level_2 --watch
  windlass vnf scale-to-level edge-1 --aspect master_instance=1,worker_instance=8 --plan`,
		Args: exactly("ID"),
	}
	cmd.Flags().StringVar(&level, "level", "", "`name` of the instantiation level")
	cmd.Flags().StringToIntVar(&aspects, "aspect", nil, "scale levels as `aspect=level,...`")
	who.addChoiceFlags(cmd)
	how.addMannerFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if (level == "") == (len(aspects) == 0) {
			return usageErrorf(cmd, "Give either --level or --aspect.")
		}
		request := map[string]any{}
		if level != "" {
			request["instantiationLevelId"] = level
		} else {
			request["scaleInfo"] = scaleInfo(aspects)
		}
		who.add(request)
		return c.operate(cmd, args[0], lcm.OpScaleToLevel, request, how)
	}
	return cmd
}

func scaleInfo(aspects map[string]int) (list []lcm.ScaleInfo) {
	for _, aspect := range sortedKeys(aspects) {
		list = append(list, lcm.ScaleInfo{AspectID: aspect, ScaleLevel: aspects[aspect]})
	}
	return list
}
