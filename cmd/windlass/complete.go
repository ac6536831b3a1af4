package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// completeWithin is how long a user waits for the shell after the tabulator key.
const completeWithin = 3 * time.Second

// candidate is a possible value of an argument, with a word about it.
type candidate struct{ value, about string }

// finder asks the API for candidates; args are the arguments before the present one.
type finder func(ctx context.Context, c *cli, args []string) ([]candidate, error)

// addCompletion lets the shell complete the arguments and flags of a group of client commands. It finds their kinds by
// the names in usage and flags, so a new command needs nothing more.
func (c *cli) addCompletion(group *cobra.Command) {
	for _, cmd := range group.Commands() {
		places := argumentsOf(cmd.Use)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion,
			cobra.ShellCompDirective,
		) {
			place := places[min(len(args), len(places)-1)]
			find := finderOf(group.Name(), cmd.Name(), place)
			if len(args) >= len(places) && !strings.HasSuffix(place, "...") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			if find == nil && slices.Contains([]string{"FILE", "DIR", "FILE|DIR", "REQUEST"}, place) {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return c.complete(cmd, find, args, begun)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { c.completeFlag(cmd, f.Name) })
	}
	group.PersistentFlags().VisitAll(func(f *pflag.Flag) { c.completeFlag(group, f.Name) })
}

// argumentsOf are the names of the arguments in a usage such as "heal ID --vnfc ID"; a position without a name has "".
func argumentsOf(use string) []string {
	var places []string
	for _, word := range strings.Fields(use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		places = append(places, word)
	}
	if len(places) == 0 {
		return []string{""}
	}
	return places
}

// finderOf returns the finder for an argument of that name in a command of a group; nil finds nothing.
func finderOf(group, command, place string) finder {
	switch strings.TrimSuffix(place, "...") {
	case "ID":
		switch group {
		case "vnf":
			return findInstances
		case "op":
			return findOperations(command)
		case "package":
			return findPackages
		}
	case "NAME|ID":
		return findVims
	case "VNFD_ID":
		return findVnfds
	case "VNFC":
		return findVnfcs
	}
	return nil
}

// complete asks for candidates and keeps those with the right beginning. It hides errors: there is no place for them in
// the middle of a line.
func (c *cli) complete(
	cmd *cobra.Command, find finder, args []string, begun string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if find == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
	defer cancel()
	if err := prepare(cmd); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	found, err := find(ctx, c, args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var fit []cobra.Completion
	for _, f := range found {
		if strings.HasPrefix(f.value, begun) && !slices.Contains(args, f.value) {
			fit = append(fit, cobra.CompletionWithDesc(f.value, strings.Join(strings.Fields(f.about), " ")))
		}
	}
	return fit, cobra.ShellCompDirectiveNoFileComp
}

// prepare runs the commands' preparation: cobra does not run it for completion.
func prepare(cmd *cobra.Command) error {
	for p := cmd; p != nil; p = p.Parent() {
		if p.PersistentPreRunE != nil {
			return p.PersistentPreRunE(cmd, nil)
		}
	}
	return nil
}

// completeFlag lets the shell complete a flag's value by the flag's name. It leaves other flags as they are.
func (c *cli) completeFlag(cmd *cobra.Command, name string) {
	var find finder
	switch name {
	case "output":
		if cmd.HasParent() && cmd.Name() == "build" {
			return // a file
		}
		find = words(formats...)
	case "lcm-version":
		find = words("1", "2")
	case "profile":
		find = findProfiles
	case "state":
		var states []string
		for _, s := range lcm.OperationStates {
			states = append(states, string(s))
		}
		find = words(states...)
	case "mode":
		find = words(string(lcm.Graceful), string(lcm.Forceful))
	case "policy":
		find = words("newest", "oldest")
	case "vnf":
		find = findInstances
	case "vnfc":
		find = findVnfcs
	case "aspect":
		find = findAspects
	default:
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion,
		cobra.ShellCompDirective,
	) {
		return c.complete(cmd, find, args, begun)
	}) // an error would be a flag that is not there
}

func words(list ...string) finder {
	return func(context.Context, *cli, []string) (found []candidate, _ error) {
		for _, word := range list {
			found = append(found, candidate{value: word})
		}
		return found, nil
	}
}

// read reads the first page of a list: nobody reads more below a command line.
func read[T any](ctx context.Context, c *cli, path string) ([]T, error) {
	var all []json.RawMessage
	if err := c.client.get(ctx, path, &all); err != nil {
		return nil, err
	}
	return decodeAll[T](all)
}

func findInstances(ctx context.Context, c *cli, _ []string) (found []candidate, _ error) {
	all, err := read[vnfInstance](ctx, c, c.client.lcm+"/vnf_instances")
	for _, i := range all {
		found = append(found, candidate{i.ID, i.Name + " " + i.State})
	}
	return found, err
}

// findOperations finds the operations that a command can be applied to.
func findOperations(command string) finder {
	return func(ctx context.Context, c *cli, _ []string) (found []candidate, _ error) {
		query := ""
		switch lcm.Action(command) {
		case lcm.Retry, lcm.Rollback, lcm.Fail:
			query = filter(eq{"operationState", string(lcm.FailedTemp)})
		case lcm.Cancel:
			query = "?filter=" + url.QueryEscape("(in,operationState,STARTING,PROCESSING,ROLLING_BACK)")
		}
		all, err := read[opOcc](ctx, c, c.client.lcm+"/vnf_lcm_op_occs"+query)
		for _, o := range all {
			found = append(found, candidate{o.ID, string(o.Operation) + " " + string(o.State)})
		}
		return found, err
	}
}

func findPackages(ctx context.Context, c *cli, _ []string) (found []candidate, _ error) {
	all, err := read[vnfPackage](ctx, c, packagesPath)
	for _, p := range all {
		found = append(found, candidate{p.ID, p.Product + " " + p.SoftwareVersion + " " + string(p.OnboardingState)})
	}
	return found, err
}

func findVnfds(ctx context.Context, c *cli, _ []string) (found []candidate, _ error) {
	all, err := read[vnfPackage](ctx, c, packagesPath+filter(eq{"onboardingState", string(lcm.PkgOnboarded)}))
	for _, p := range all {
		found = append(found, candidate{p.VnfdID, p.Product + " " + p.SoftwareVersion})
	}
	return found, err
}

func findVims(ctx context.Context, c *cli, _ []string) (found []candidate, _ error) {
	var answer struct {
		Vims []vim `json:"vims"`
	}
	_, err := c.client.exchange(ctx, http.MethodGet, vimsPath, nil, &answer)
	for _, v := range answer.Vims {
		found = append(found, candidate{v.Name, v.Type + " " + v.AuthURL}, candidate{v.ID, v.Name})
	}
	return found, err
}

// chosen reads the instance that the line names already.
func chosen(ctx context.Context, c *cli, args []string) (instantiatedInfo, error) {
	if len(args) == 0 {
		return instantiatedInfo{}, nil
	}
	var i vnfInstance
	if err := c.client.get(ctx, c.instancePath(url.PathEscape(args[0])), &i); err != nil || i.InstantiatedVnfRef == nil {
		return instantiatedInfo{}, err
	}
	return *i.InstantiatedVnfRef, nil
}

func findVnfcs(ctx context.Context, c *cli, args []string) (found []candidate, _ error) {
	i, err := chosen(ctx, c, args)
	for _, v := range i.Vnfcs {
		found = append(found, candidate{v.ID, v.VduID})
	}
	return found, err
}

func findAspects(ctx context.Context, c *cli, args []string) (found []candidate, _ error) {
	i, err := chosen(ctx, c, args)
	for _, s := range i.Scale {
		found = append(found, candidate{value: s.AspectID})
	}
	return found, err
}

func findProfiles(context.Context, *cli, []string) (found []candidate, _ error) {
	all, _, err := readProfiles()
	for _, name := range sortedKeys(all) {
		found = append(found, candidate{name, all[name].API})
	}
	return found, err
}
