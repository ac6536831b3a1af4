package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newVnf(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "vnf",
		Aliases: []string{"vnfs"},
		Short:   "Create, instantiate, show, modify, scale, heal, start, stop, connect and terminate VNF instances",
	}
	cmd.AddCommand(newVnfCreate(c), newVnfList(c), newVnfShow(c), newVnfDescribe(c), newVnfModify(c), newVnfInstantiate(c), newVnfScale(c),
		newVnfScaleToLevel(c),
		newVnfHeal(c), newVnfOperate(c), newVnfChangeExtConn(c), newVnfChangePackage(c), newVnfChangeFlavour(c),
		newVnfDrift(c), newVnfDriftPolicy(c), newVnfRegistry(c),
		newVnfKubeconfig(c),
		newVnfForgetHostKey(c),
		newVnfTerminate(c), newVnfDelete(c))
	return cmd
}

// vnfInstance is the part of SOL003's VnfInstance that tables show.
type vnfInstance struct {
	ID                 string            `json:"id"`
	Name               string            `json:"vnfInstanceName"`
	Description        string            `json:"vnfInstanceDescription"`
	VnfdID             string            `json:"vnfdId"`
	Provider           string            `json:"vnfProvider"`
	Product            string            `json:"vnfProductName"`
	SoftwareVersion    string            `json:"vnfSoftwareVersion"`
	State              string            `json:"instantiationState"`
	Metadata           map[string]any    `json:"metadata"`
	InstantiatedVnfRef *instantiatedInfo `json:"instantiatedVnfInfo"`
}

type instantiatedInfo struct {
	FlavourID string `json:"flavourId"`
	VnfState  string `json:"vnfState"`
	Scale     []struct {
		AspectID string `json:"aspectId"`
		Level    int    `json:"scaleLevel"`
	} `json:"scaleStatus"`
	Vnfcs []struct {
		ID      string `json:"id"`
		VduID   string `json:"vduId"`
		Compute struct {
			ResourceID string `json:"resourceId"`
		} `json:"computeResource"`
		Metadata struct {
			Registry []k8s.PrivateRegistry `json:"private_registry_connection_info"`
		} `json:"metadata"`
	} `json:"vnfcResourceInfo"`
}

func newVnfCreate(c *cli) *cobra.Command {
	var name, description string
	var metadata map[string]string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "create VNFD_ID",
		Short: "Create a VNF instance of an on-boarded package",
		Long: `Create a VNF instance of an on-boarded package: VNFD_ID is the id of its VNFD, its product, or the product and the
version with a colon between them.`,
		Example: `  windlass vnf create "Kubernetes cluster" --name edge-1 --metadata site=north,rack=7
  windlass vnf create "Kubernetes cluster:1.0" --dry-run`,
		Args: exactly("VNFD_ID"),
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the instance")
	cmd.Flags().StringVar(&description, "description", "", "what it is for")
	cmd.Flags().StringToStringVar(&metadata, "metadata", nil, "`key=value` pairs to keep with it")
	addDryRunFlag(cmd, &dryRun)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		vnfd, err := c.vnfdNamed(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		request := map[string]any{"vnfdId": vnfd}
		if name != "" {
			request["vnfInstanceName"] = name
		}
		if description != "" {
			request["vnfInstanceDescription"] = description
		}
		if len(metadata) > 0 {
			request["metadata"] = metadata
		}
		if dryRun {
			return c.printRequest(request)
		}
		var raw json.RawMessage
		if _, err := c.client.send(cmd.Context(), http.MethodPost, c.client.lcm+"/vnf_instances", request, &raw); err != nil {
			return err
		}
		return c.printVnf(raw)
	}
	return cmd
}

func addDryRunFlag(cmd *cobra.Command, dryRun *bool) {
	cmd.Flags().BoolVar(dryRun, "dry-run", false, "print the request, and send nothing")
}

// printRequest shows the request without sending it, as JSON unless another format is chosen.
func (c *cli) printRequest(request any) error {
	if !c.structured() {
		c.format = formatJSON
	}
	return c.print(request, nil)
}

func newVnfInstantiate(c *cli) *cobra.Command {
	var how manner
	var edits requestEdits
	cmd := &cobra.Command{
		Use:   "instantiate ID REQUEST",
		Short: "Instantiate a VNF instance with a request of SOL003",
		Long: `Instantiate a VNF instance. REQUEST is a JSON or YAML file with an InstantiateVnfRequest of SOL003,
"-" for standard input; 'windlass package request' prints one to begin with. --vim, --set and --set-file change the
request before the command sends it. So you can use one file for several sites, and need no passwords in it. A vimId
may be the name of a VIM. Replace every value that begins with REPLACE- first. The command returns when the
operation has begun. With --watch or --wait it returns when the operation has ended.`,
		Example: `  windlass vnf instantiate edge-1 request.json --watch
  windlass vnf instantiate edge-1 request.json --vim north --set instantiationLevelId=instantiation_level_2 --plan
  windlass vnf instantiate edge-1 request.json --wait --timeout 30m \
    --set-file additionalParams.k8s_cluster_installation_param.proxy.http_proxy=proxy.url`,
		Args: exactly("ID", "REQUEST"),
	}
	how.addMannerFlags(cmd)
	edits.addEditFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		raw, err := c.readRequest(args[1])
		if err != nil {
			return err
		}
		request, err := c.edit(cmd.Context(), raw, edits)
		if err != nil {
			return err
		}
		c.warnOfMisspelt(request, instantiateMembers)
		return c.operate(cmd, args[0], lcm.OpInstantiate, request, how)
	}
	return cmd
}

func newVnfChangeExtConn(c *cli) *cobra.Command {
	var how manner
	cmd := &cobra.Command{
		Use:   "change-ext-conn ID REQUEST",
		Short: "Connect a VNF instance to other external networks",
		Long: `Connect external connection points of a VNF instance to other networks. REQUEST is a JSON file with a
ChangeExtVnfConnectivityRequest of SOL003, "-" for standard input; links that it does not name stay as they are. Its
form is that of --lcm-version: cpConfig is a list in version 1, a map in version 2.`,
		Example: `  windlass vnf change-ext-conn edge-1 links.json --plan
  windlass vnf change-ext-conn edge-1 links.json --watch`,
		Args: exactly("ID", "REQUEST"),
	}
	how.addMannerFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		request, err := c.readFilled(cmd.Context(), args[1])
		if err != nil {
			return err
		}
		return c.operate(cmd, args[0], lcm.OpChangeExtConn, request, how)
	}
	return cmd
}

func newVnfChangePackage(c *cli) *cobra.Command {
	var how manner
	cmd := &cobra.Command{
		Use:   "change-package ID REQUEST",
		Short: "Roll a VNF instance of containers over to another VNF package",
		Long: `Roll a VNF instance of containers over to another VNF package. REQUEST is a JSON file with a
ChangeCurrentVnfPkgRequest of SOL003 v3.3.1, "-" for standard input; parameters that it does not name stay as they
are. The command uses version 2 of the API, also with --lcm-version 1.`,
		Example: `  windlass vnf change-package web package.json --plan
  windlass vnf change-package web package.json --watch`,
		Args: exactly("ID", "REQUEST"),
	}
	how.addMannerFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		request, err := c.readFilled(cmd.Context(), args[1])
		if err != nil {
			return err
		}
		c.client = c.client.ofVersion(2)
		return c.operate(cmd, args[0], lcm.OpChangeVnfPkg, request, how)
	}
	return cmd
}

func newVnfChangeFlavour(c *cli) *cobra.Command {
	var how manner
	cmd := &cobra.Command{
		Use:   "change-flavour ID REQUEST",
		Short: "Give a VNF instance another deployment flavour of its package",
		Long: `Give a VNF instance another deployment flavour of its package. REQUEST is a JSON file with a
ChangeVnfFlavourRequest of SOL003, "-" for standard input. VNFCs of VDUs that both flavours have stay, with their
volumes and addresses. New VNFCs come before others go, so that a failure can be rolled back. Clusters and image
registries keep their flavour.`,
		Example: `  windlass vnf change-flavour web flavour.json --plan
  echo '{"newFlavourId": "large"}' | windlass vnf change-flavour web - --watch`,
		Args: exactly("ID", "REQUEST"),
	}
	how.addMannerFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		request, err := c.readFilled(cmd.Context(), args[1])
		if err != nil {
			return err
		}
		return c.operate(cmd, args[0], lcm.OpChangeFlavour, request, how)
	}
	return cmd
}

func newVnfTerminate(c *cli) *cobra.Command {
	var how manner
	var timeout int
	var vnfs, leftovers bool
	cmd := &cobra.Command{
		Use:   "terminate ID",
		Short: "Terminate a VNF instance and delete its resources",
		Long: `Terminate a VNF instance and delete its resources. Windlass deletes them at once. With --graceful it
shuts the servers down first, so their programs end in order. After that time it deletes every server, also if it is
not off.

--leftovers is for an instance whose INSTANTIATE you have declared FAILED ('windlass op fail'). The instance is not
instantiated, but some of its resources are still there. Windlass deletes them at once.`,
		Example: "  windlass vnf terminate edge-1 --graceful 120 --watch\n" +
			"  windlass vnf terminate edge-1 --leftovers --watch",
		Args: exactly("ID"),
	}
	how.addMannerFlags(cmd)
	cmd.Flags().IntVar(&timeout, "graceful", 0,
		"shut the servers down first, and wait for them for up to so many `seconds`")
	cmd.Flags().BoolVar(&leftovers, "leftovers", false, "delete the resources of an INSTANTIATE that you have declared FAILED")
	cmd.Flags().BoolVar(&vnfs, "terminate-vnfs", false, "first terminate the VNFs that are on this cluster")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if leftovers {
			if timeout > 0 || vnfs {
				return usageErrorf(cmd, "--leftovers goes with --plan, --watch, --wait and --timeout only.")
			}
			return c.cleanUp(cmd, args[0], how)
		}
		request := map[string]any{"terminationType": "FORCEFUL"}
		if timeout > 0 {
			request = map[string]any{"terminationType": "GRACEFUL", "gracefulTerminationTimeout": timeout}
		}
		if vnfs {
			request["additionalParams"] = map[string]any{"terminate_vnfs": true}
		}
		return c.operate(cmd, args[0], lcm.OpTerminate, request, how)
	}
	return cmd
}

func newVnfDelete(c *cli) *cobra.Command {
	var selector string
	cmd := &cobra.Command{
		Use:     "delete ID...",
		Aliases: []string{"rm"},
		Short:   "Delete VNF instances that are not instantiated",
		Long: `Delete VNF instances that are not instantiated: those with these ids or names, or with -l all that
have such metadata. An instance that is instantiated stays; the command ends there with an error.`,
		Example: "  windlass vnf delete edge-1\n  windlass vnf delete -l site=north",
	}
	addSelectorFlag(cmd, &selector)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case selector == "":
			return atLeastOne("ID")(cmd, args)
		case len(args) > 0:
			return usageErrorf(cmd, "Give either ids or -l.")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if selector != "" {
			var err error
			if args, err = c.selectedVnfs(cmd, selector); err != nil {
				return err
			}
		}
		for _, id := range args {
			if _, err := c.client.send(cmd.Context(), http.MethodDelete, c.instancePath(id), nil, nil); err != nil {
				return err
			}
			c.confirm("VNF instance %s is deleted.", id)
		}
		return nil
	}
	return cmd
}

// selectedVnfs are the ids of the VNF instances with such metadata.
func (c *cli) selectedVnfs(cmd *cobra.Command, selector string) (ids []string, _ error) {
	filter, err := metadataFilter("metadata", selector)
	if err != nil {
		return nil, usageErrorf(cmd, "%s", sentence(err.Error()))
	}
	if filter == "" { // such as -l "$UNSET ": it would name all instances
		return nil, usageErrorf(cmd, "-l names no metadata. Give it in the form key=value.")
	}
	found, err := list[vnfInstance](cmd.Context(), c.client, c.client.lcm+"/vnf_instances"+filterText("", filter))
	for _, i := range found {
		ids = append(ids, i.ID)
	}
	if err == nil && len(ids) == 0 {
		fmt.Fprintln(c.err, "No VNF instance has such metadata.")
	}
	return ids, err
}

func (c *cli) instancePath(id string) string { return c.client.lcm + "/vnf_instances/" + id }
