package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
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

// typed is the line before the tabulator key: its arguments, and the beginning of the present one.
type typed struct {
	args  []string
	begun string
}

// finder asks the API for candidates. It may return candidates with another beginning, too.
type finder func(ctx context.Context, c *cli, line typed) ([]candidate, error)

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
		case "subscription":
			return findSubscriptions
		}
	case "NUMBER":
		return findDeadLetters
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
	found, err := find(ctx, c, typed{args, begun})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var fit []cobra.Completion
	seen := slices.Clone(args)
	for _, f := range found {
		if f.value != "" && strings.HasPrefix(f.value, begun) && !slices.Contains(seen, f.value) {
			fit = append(fit, cobra.CompletionWithDesc(f.value, strings.Join(strings.Fields(f.about), " ")))
			seen = append(seen, f.value)
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
	case "vim":
		find = findVims
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
	return func(context.Context, *cli, typed) (found []candidate, _ error) {
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

// idText matches a part of an id.
var idText = regexp.MustCompile(`^[0-9a-fA-F-]+$`)

// begunQueries are filters for the beginning of a name or an id, so that the API searches, and not only its first page
// is searched. The filters of the standard cannot compare beginnings, but parts.
func begunQueries(nameAttribute, begun string) []string {
	if begun == "" {
		return []string{""}
	}
	var queries []string
	if nameAttribute != "" {
		queries = append(queries, filterText("(cont,"+nameAttribute+","+quotedValue(begun)+")"))
	}
	if idText.MatchString(begun) {
		queries = append(queries, filterText("(cont,id,"+strings.ToLower(begun)+")"))
	}
	return queries
}

// findInstances finds VNF instances by their names and by their ids.
func findInstances(ctx context.Context, c *cli, line typed) (found []candidate, _ error) {
	for _, query := range begunQueries("vnfInstanceName", line.begun) {
		all, err := read[vnfInstance](ctx, c, c.client.lcm+"/vnf_instances"+query)
		if err != nil {
			return nil, err
		}
		for _, i := range all {
			if slices.Contains(line.args, i.ID) || slices.Contains(line.args, i.Name) {
				continue // a command of several instances has it already
			}
			found = append(found, candidate{i.Name, i.State}, candidate{i.ID, i.Name + " " + i.State})
		}
	}
	return found, nil
}

// findOperations finds the operations that a command can be applied to, by their ids and by the names of their VNF
// instances. A name stands for the last operation of the instance.
func findOperations(command string) finder {
	return func(ctx context.Context, c *cli, line typed) (found []candidate, err error) {
		states := ""
		switch lcm.Action(command) {
		case lcm.Retry, lcm.Rollback, lcm.Fail:
			states = "(eq,operationState," + string(lcm.FailedTemp) + ")"
			found, err = findInstancesBusy(ctx, c, line, lcm.FailedTemp)
		case lcm.Cancel:
			states = "(in,operationState,STARTING,PROCESSING,ROLLING_BACK)"
			found, err = findInstancesBusy(ctx, c, line, lcm.Starting, lcm.Processing, lcm.RollingBack)
		default:
			found, err = findInstanceNames(ctx, c, line)
		}
		if err != nil || line.begun != "" && !idText.MatchString(line.begun) {
			return found, err
		}
		ids := ""
		if line.begun != "" {
			ids = "(cont,id," + strings.ToLower(line.begun) + ")"
		}
		all, err := read[opOcc](ctx, c, c.client.lcm+"/vnf_lcm_op_occs"+filterText(states, ids))
		for _, o := range all {
			found = append(found, candidate{o.ID, string(o.Operation) + " " + string(o.State)})
		}
		return found, err
	}
}

// findInstancesBusy finds the names of VNF instances with an operation in one of these states. Such an operation is the
// last one of its instance, because an instance has one operation at a time.
func findInstancesBusy(ctx context.Context, c *cli, line typed, states ...lcm.OperationState) (found []candidate, _ error) {
	type atAGlance struct {
		opOcc

		Name string `json:"vnfInstanceName"`
	}
	query := url.Values{"open": {"true"}}
	if line.begun != "" {
		query.Set("search", line.begun)
	}
	all, err := read[atAGlance](ctx, c, progressPath+"?"+query.Encode())
	for _, o := range all {
		if slices.Contains(states, o.State) {
			found = append(found, candidate{o.Name, string(o.Operation) + " " + string(o.State)})
		}
	}
	return found, err
}

// findInstanceNames finds VNF instances by their names alone.
func findInstanceNames(ctx context.Context, c *cli, line typed) ([]candidate, error) {
	found, err := findInstances(ctx, c, line)
	return slices.DeleteFunc(found, func(f candidate) bool { return fullID.MatchString(f.value) }), err
}

func findPackages(ctx context.Context, c *cli, _ typed) (found []candidate, _ error) {
	all, err := read[vnfPackage](ctx, c, packagesPath)
	for _, p := range all {
		about := p.Product + " " + p.SoftwareVersion + " " + string(p.OnboardingState)
		found = append(found, candidate{p.ID, about}, candidate{p.productVersion(), about})
	}
	return found, err
}

// productVersion is a name of the package; it is "" if the package has no product yet.
func (p vnfPackage) productVersion() string {
	if p.Product == "" {
		return ""
	}
	return p.Product + ":" + p.SoftwareVersion
}

func findVnfds(ctx context.Context, c *cli, _ typed) (found []candidate, _ error) {
	all, err := read[vnfPackage](ctx, c, packagesPath+filter(eq{"onboardingState", string(lcm.PkgOnboarded)}))
	for _, p := range all {
		found = append(found, candidate{p.VnfdID, p.Product + " " + p.SoftwareVersion}, candidate{p.productVersion(), p.VnfdID})
	}
	return found, err
}

func findVims(ctx context.Context, c *cli, _ typed) (found []candidate, _ error) {
	var answer struct {
		Vims []vim `json:"vims"`
	}
	_, err := c.client.exchange(ctx, http.MethodGet, vimsPath, nil, &answer)
	for _, v := range answer.Vims {
		found = append(found, candidate{v.Name, v.Type + " " + v.AuthURL}, candidate{v.ID, v.Name})
	}
	return found, err
}

// chosen returns the id of the instance that the line names already, "" if it names none.
func chosen(ctx context.Context, c *cli, line typed) (string, error) {
	if len(line.args) == 0 {
		return "", nil
	}
	return c.idOf(ctx, vnfNaming, line.args[0])
}

// findVnfcs finds the VNFCs of the instance, by the names of their nodes and by their ids.
func findVnfcs(ctx context.Context, c *cli, line typed) (found []candidate, _ error) {
	id, err := chosen(ctx, c, line)
	if err != nil || id == "" {
		return nil, err
	}
	var shown topology
	err = c.client.get(ctx, "/windlass/v1/vnf_instances/"+url.PathEscape(id)+"/topology", &shown)
	for _, p := range shown.Parts {
		if p.VnfcInstanceID != "" {
			found = append(found, candidate{p.Name, p.Role}, candidate{p.VnfcInstanceID, p.Name})
		}
	}
	return found, err
}

func findAspects(ctx context.Context, c *cli, line typed) (found []candidate, _ error) {
	id, err := chosen(ctx, c, line)
	if err != nil || id == "" {
		return nil, err
	}
	var i vnfInstance
	if err := c.client.get(ctx, c.instancePath(id), &i); err != nil || i.InstantiatedVnfRef == nil {
		return nil, err
	}
	for _, s := range i.InstantiatedVnfRef.Scale {
		found = append(found, candidate{value: s.AspectID})
	}
	return found, nil
}

func findProfiles(context.Context, *cli, typed) (found []candidate, _ error) {
	all, _, err := readProfiles()
	for _, name := range sortedKeys(all) {
		found = append(found, candidate{name, all[name].API})
	}
	return found, err
}
