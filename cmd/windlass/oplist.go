package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

func newOpList(c *cli) *cobra.Command {
	var vnf, state, selector string
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List operations, the newest first",
		Long: `List operations, the newest first. Operations have no metadata: -l chooses the operations of VNF
instances with such metadata. --filter chooses by every attribute that the API can filter by.`,
		Example: "  windlass op list\n  windlass op list --state FAILED_TEMP\n  windlass op list --vnf edge-1 -o wide\n" +
			"  windlass op list -l site=north\n  windlass op list --filter '(gt,startTime,2026-11-21T00:00:00Z)' -o name",
		Args: exactly(),
	}
	cmd.Flags().StringVar(&vnf, "vnf", "", "only operations of the VNF instance with this `ID` or name")
	cmd.Flags().StringVar(&state, "state", "", "only operations in this `STATE`, e.g. PROCESSING or FAILED_TEMP")
	cmd.Flags().StringVarP(&selector, "selector", "l", "", "only those of VNF instances with such metadata: "+selectorForm)
	f.addListFlags(cmd)
	f.addFilterFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		wanted := []string{f.filter}
		if state, err = stateNamed(cmd, state); err != nil {
			return err
		}
		if vnf != "" {
			id, err := c.idOf(cmd.Context(), vnfNaming, vnf)
			if err != nil {
				return err
			}
			wanted = append(wanted, eq{"vnfInstanceId", id}.expression())
		}
		if state != "" {
			wanted = append(wanted, eq{"operationState", state}.expression())
		}
		selected, err := metadataFilter("metadata", selector)
		if err != nil {
			return usageErrorf(cmd, "%s", sentence(err.Error()))
		}
		return showList(cmd, c, f, c.opTable(), func(ctx context.Context) ([]json.RawMessage, error) {
			if selected == "" {
				return c.operations(ctx, filterText(wanted...))
			}
			return c.operationsOf(ctx, selected, wanted)
		})
	}
	return cmd
}

// operations reads operations, the newest first.
func (c *cli) operations(ctx context.Context, query string) ([]json.RawMessage, error) {
	raw, err := list[json.RawMessage](ctx, c.client, c.client.lcm+"/vnf_lcm_op_occs"+query)
	if err != nil {
		return nil, err
	}
	ops, err := decodeAll[opOcc](raw)
	newestFirst(raw, ops)
	return raw, err
}

// idsAtOnce are so few that a server takes an address with all of them.
const idsAtOnce = 100

// operationsOf reads the operations of the VNF instances that a filter chooses, the newest first.
func (c *cli) operationsOf(ctx context.Context, selected string, wanted []string) (raw []json.RawMessage, err error) {
	of, err := list[vnfInstance](ctx, c.client, c.client.lcm+"/vnf_instances"+filterText(selected)+"&fields=id")
	if err != nil {
		return nil, err
	}
	raw = []json.RawMessage{}
	for some := range slices.Chunk(of, idsAtOnce) {
		ids := []string{}
		for _, i := range some {
			ids = append(ids, quotedValue(i.ID))
		}
		in := "(in,vnfInstanceId," + strings.Join(ids, ",") + ")"
		found, err := c.operations(ctx, filterText(append(slices.Clone(wanted), in)...))
		if err != nil {
			return nil, err
		}
		raw = append(raw, found...)
	}
	ops, err := decodeAll[opOcc](raw)
	newestFirst(raw, ops)
	return raw, err
}

func (c *cli) opTable() table[opOcc] {
	names, now := map[string]string{}, map[string]opSummary{}
	return table[opOcc]{
		kind: "op", id: func(o opOcc) string { return o.ID },
		columns: []column[opOcc]{
			{name: "ID", of: func(o opOcc) any { return o.ID }},
			{name: "OPERATION", of: func(o opOcc) any { return o.Operation }},
			{name: "STATE", of: func(o opOcc) any { return o.State }},
			{name: "VNF INSTANCE", of: func(o opOcc) any { return o.VnfInstanceID }},
			{name: "VNF NAME", of: func(o opOcc) any { return names[o.VnfInstanceID] }, wide: true},
			{name: "STARTED", of: func(o opOcc) any { return o.Start.UTC().Format(time.RFC3339) }},
			{
				name: "TIME", of: func(o opOcc) any { return duration(o.elapsed(c.now())) }, moving: true,
				key: func(o opOcc) any { return o.elapsed(c.now()).Seconds() },
			},
			{name: "STEP", of: func(o opOcc) any { return now[o.ID].step() }},
			{name: "LAST ERROR", of: func(o opOcc) any { return now[o.ID].Retry.said(now[o.ID].Retry.at()) }, wide: true},
			{name: "AUTOMATIC", of: func(o opOcc) any { return yes(o.IsAutomatic) }, wide: true},
		},
		before: func(ctx context.Context, ops []opOcc) {
			c.openSteps(ctx, ops, now)
			if c.format == formatWide {
				c.vnfNames(ctx, names)
			}
		},
	}
}

// vnfNames reads the names of VNF instances. It leaves out names that it cannot read.
func (c *cli) vnfNames(ctx context.Context, into map[string]string) {
	vnfs, err := list[vnfInstance](ctx, c.client, c.client.lcm+"/vnf_instances?fields=vnfInstanceName")
	if err != nil {
		return
	}
	for _, i := range vnfs {
		into[i.ID] = i.Name
	}
}

// openSteps reads the step under way, or the failed step, of the operations that have not ended. It leaves out steps
// that it cannot read.
func (c *cli) openSteps(ctx context.Context, ops []opOcc, into map[string]opSummary) {
	clear(into)
	if !slices.ContainsFunc(ops, func(o opOcc) bool { return !o.State.Terminal() }) {
		return
	}
	open, err := list[opSummary](ctx, c.client, progressPath+"?open=true&limit=500")
	if err != nil {
		return
	}
	for _, o := range open {
		into[o.ID] = o
	}
}

// opSummary is the part of an operation at a glance that the standard's resource does not have.
type opSummary struct {
	ID   string `json:"id"`
	Step string `json:"step"`
	// Retry is set while the step is tried again.
	Retry *retry `json:"retry"`
	// Slow is set while the step takes much longer than usual.
	Slow *slow `json:"slow"`
}

// slow tells how long a slow step takes otherwise.
type slow struct {
	Usual *float64 `json:"usualSeconds"`
}

func (s *slow) said() string {
	switch {
	case s == nil:
		return ""
	case s.Usual == nil:
		return ", slow"
	case *s.Usual == 0:
		return ", no worker goes on"
	}
	return ", " + usually(*s.Usual)
}

// usually says how long a slow step takes otherwise, in seconds.
func usually(seconds float64) string {
	return "slow: usually " + duration(time.Duration(seconds*float64(time.Second)))
}

// step is the title of the step, with the attempt if it is not the first, and with its usual time if it is slow.
func (o opSummary) step() string {
	text := o.Step
	if o.Retry != nil {
		text += ", attempt " + o.Retry.count()
	}
	return strings.TrimPrefix(text+o.Slow.said(), ", ")
}

// stateNamed is the state of operations with that name. It refuses unknown names: --state FAILEDTEMP would silently
// find nothing.
func stateNamed(cmd *cobra.Command, name string) (string, error) {
	var states []string
	for _, s := range lcm.OperationStates {
		states = append(states, string(s))
	}
	state := strings.ToUpper(name)
	if state == "" || slices.Contains(states, state) {
		return state, nil
	}
	guess := ""
	if meant := params.Meant(state, states); meant != "" {
		guess = " Did you mean " + meant + "?"
	}
	return "", usageErrorf(cmd, "There is no state %s.%s The states are %s.", name, guess, strings.Join(states, ", "))
}

// newestFirst sorts operations, which the API lists by their ids.
func newestFirst(raw []json.RawMessage, ops []opOcc) {
	order := make([]int, len(ops))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return ops[b].Start.Compare(ops[a].Start) })
	sortedRaw, sortedOps := make([]json.RawMessage, 0, len(ops)), make([]opOcc, 0, len(ops))
	for _, i := range order {
		sortedRaw, sortedOps = append(sortedRaw, raw[i]), append(sortedOps, ops[i])
	}
	copy(raw, sortedRaw)
	copy(ops, sortedOps)
}
