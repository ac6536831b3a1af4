package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

func newOp(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: "op", Aliases: []string{"ops", "operation"}, Short: "Follow lifecycle operations and decide about failed ones"}
	cmd.AddCommand(newOpList(c), newOpShow(c), newOpPlan(c), newOpGrant(c), newOpSteps(c), newOpWatch(c), newOpLogs(c),
		newOpCancel(c),
		newOpDecision(c, lcm.Retry, "Go on at the step that failed", "is retried"),
		newOpDecision(c, lcm.Rollback, "Undo what a failed operation has done", "is rolled back"),
		newOpDecision(c, lcm.Fail, "Give a failed operation up and leave things as they are", "is marked as failed"))
	return cmd
}

// opOcc is the part of SOL003's VnfLcmOpOcc that tables show.
type opOcc struct {
	ID              string             `json:"id"`
	Operation       lcm.Operation      `json:"operation"`
	State           lcm.OperationState `json:"operationState"`
	StateEntered    time.Time          `json:"stateEnteredTime"`
	Start           time.Time          `json:"startTime"`
	VnfInstanceID   string             `json:"vnfInstanceId"`
	IsCancelPending bool               `json:"isCancelPending"`
	IsAutomatic     bool               `json:"isAutomaticInvocation"`
	CancelMode      string             `json:"cancelMode"`
	Error           *apiError          `json:"error"`
	Links           map[string]any     `json:"_links"`
}

// over tells whether the operation changes its state no more, unless somebody decides.
func (o opOcc) over() bool { return o.State.Terminal() || o.State == lcm.FailedTemp }

// canRollBack tells whether the API offers a rollback: not once a server is deleted.
func (o opOcc) canRollBack() bool { return o.Links[string(lcm.Rollback)] != nil }

// elapsed is how long the operation has taken until now, or took until it came to rest.
func (o opOcc) elapsed(now time.Time) time.Duration {
	if o.over() {
		now = o.StateEntered
	}
	return now.Sub(o.Start)
}

func newOpList(c *cli) *cobra.Command {
	var vnf, state string
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List operations, the newest first",
		Example: "  windlass op list\n  windlass op list --state FAILED_TEMP\n  windlass op list --vnf edge-1 -o wide\n" +
			"  windlass op list --filter '(gt,startTime,2026-11-21T00:00:00Z)' -o name",
		Args: exactly(),
	}
	cmd.Flags().StringVar(&vnf, "vnf", "", "only those of the VNF instance with this `ID` or name")
	cmd.Flags().StringVar(&state, "state", "", "only those in this `STATE`, e.g. PROCESSING or FAILED_TEMP")
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
		return showList(cmd, c, f, c.opTable(), func(ctx context.Context) ([]json.RawMessage, error) {
			return c.operations(ctx, filterText(wanted...))
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

func (c *cli) opTable() table[opOcc] {
	names := map[string]string{}
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
			{name: "AUTOMATIC", of: func(o opOcc) any { return yes(o.IsAutomatic) }, wide: true},
		},
		before: func(ctx context.Context, _ []opOcc) {
			if c.format == formatWide {
				c.vnfNames(ctx, names)
			}
		},
	}
}

// vnfNames reads how VNF instances are called; what cannot be read is left out.
func (c *cli) vnfNames(ctx context.Context, into map[string]string) {
	vnfs, err := list[vnfInstance](ctx, c.client, c.client.lcm+"/vnf_instances?fields=vnfInstanceName")
	if err != nil {
		return
	}
	for _, i := range vnfs {
		into[i.ID] = i.Name
	}
}

// stateNamed is the state of operations of that name; --state FAILEDTEMP would find nothing, and say nothing.
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

// eq is one condition of a filter.
type eq struct{ attribute, value string }

func (e eq) expression() string { return "(eq," + e.attribute + "," + quotedValue(e.value) + ")" }

// filter makes a query of SOL013 clause 5.2 of those conditions that have a value.
func filter(conditions ...eq) string {
	var parts []string
	for _, c := range conditions {
		if c.value != "" {
			parts = append(parts, c.expression())
		}
	}
	return filterText(parts...)
}

// filterText makes a query of expressions; those that are empty are left out.
func filterText(expressions ...string) string {
	expressions = slices.DeleteFunc(slices.Clone(expressions), func(e string) bool { return e == "" })
	if len(expressions) == 0 {
		return ""
	}
	return "?filter=" + url.QueryEscape(strings.Join(expressions, ";"))
}

func newOpShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Aliases: []string{"describe", "get"},
		Short:   "Show one operation",
		Example: "  windlass op show 6f0ab2d1-93c4-4c86-b0a5-0b9a4f5c8a37",
		Args:    exactly("ID"),
		RunE:    func(cmd *cobra.Command, args []string) error { return c.printOp(cmd.Context(), args[0]) },
	}
}

func (c *cli) printOp(ctx context.Context, id string) error {
	var raw json.RawMessage
	if err := c.client.get(ctx, c.opPath(id), &raw); err != nil {
		return err
	}
	o, err := decode[opOcc](raw)
	if err != nil {
		return err
	}
	var rows []step
	_ = c.client.get(ctx, progressPath+"/"+id+"/steps", &rows) // an API that has none says nothing of decisions
	return c.print(raw, func(w io.Writer) {
		c.describeOp(w, o)
		for _, row := range rows {
			for _, d := range row.Decisions {
				field(w, "Drain of "+row.Node, d.Action+": "+d.Detail)
			}
		}
	})
}

func (c *cli) describeOp(w io.Writer, o opOcc) {
	field(w, "ID", o.ID)
	field(w, "Operation", o.Operation)
	field(w, "State", o.State)
	field(w, "VNF instance", o.VnfInstanceID)
	field(w, "Started", o.Start.UTC().Format(time.RFC3339))
	field(w, "Time", duration(o.elapsed(c.now())))
	if o.IsCancelPending {
		field(w, "Cancel pending", o.CancelMode)
	}
	if o.Error != nil {
		field(w, "Error", o.Error.Detail)
		field(w, "See", o.Error.remedies())
	}
}

// newOpDecision makes a command of one of the task resources without a body.
func newOpDecision(c *cli, action lcm.Action, short, done string) *cobra.Command {
	wanted := map[lcm.Action]lcm.OperationState{
		lcm.Rollback: lcm.RolledBack, lcm.Fail: lcm.Failed,
		lcm.Retry: lcm.Completed,
	}
	var watch bool
	cmd := &cobra.Command{
		Use:     string(action) + " ID",
		Short:   short,
		Long:    short + ". The operation must be in FAILED_TEMP.",
		Example: fmt.Sprintf("  windlass op %s 6f0ab2d1-93c4-4c86-b0a5-0b9a4f5c8a37 --watch", action),
		Args:    exactly("ID"),
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show the progress until the operation has ended")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var before opOcc
		if err := c.client.get(cmd.Context(), c.opPath(args[0]), &before); err != nil {
			return err
		}
		if _, err := c.client.send(cmd.Context(), http.MethodPost, c.opPath(args[0])+"/"+string(action), nil,
			nil); err != nil {
			return err
		}
		if watch {
			return c.watch(cmd.Context(), args[0], &watcher{after: before, want: wanted[action]})
		}
		c.confirm("Operation %s %s.", args[0], done)
		return nil
	}
	return cmd
}

func newOpCancel(c *cli) *cobra.Command {
	var mode string
	var watch bool
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "Stop an operation that runs",
		Long: `Stop an operation that runs; it is left in FAILED_TEMP, or ROLLED_BACK when nothing was done yet. GRACEFUL lets
the present step end, and ends at once what of it only waits; FORCEFUL interrupts it and kills what runs on the nodes.`,
		Example: "  windlass op cancel 6f0ab2d1-93c4-4c86-b0a5-0b9a4f5c8a37 --mode FORCEFUL --watch",
		Args:    exactly("ID"),
	}
	cmd.Flags().StringVar(&mode, "mode", string(lcm.Graceful), "GRACEFUL or FORCEFUL")
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show the progress until the operation has ended")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		mode = strings.ToUpper(mode)
		if mode != string(lcm.Graceful) && mode != string(lcm.Forceful) {
			return usageErrorf(cmd, "--mode must be GRACEFUL or FORCEFUL, not %q.", mode)
		}
		request := map[string]string{"cancelMode": mode}
		if _, err := c.client.send(cmd.Context(), http.MethodPost, c.opPath(args[0])+"/cancel", request, nil); err != nil {
			return err
		}
		if watch {
			return c.watch(cmd.Context(), args[0], &watcher{want: lcm.FailedTemp})
		}
		c.confirm("Operation %s is being cancelled (%s).", args[0], mode)
		return nil
	}
	return cmd
}

func (c *cli) opPath(id string) string { return c.client.lcm + "/vnf_lcm_op_occs/" + id }
