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

// over tells whether the operation's state stays as it is until somebody decides.
func (o opOcc) over() bool { return o.State.Terminal() || o.State == lcm.FailedTemp }

// canRollBack tells whether the API offers a rollback: not once a server is deleted.
func (o opOcc) canRollBack() bool { return o.Links[string(lcm.Rollback)] != nil }

// remedies is the server's page about errors like the operation's; "" if there is none.
func (o opOcc) remedies() string {
	if o.Error == nil || o.Error.Type == "" {
		return ""
	}
	self, _ := o.Links["self"].(map[string]any)
	href, _ := self["href"].(string)
	server, err1 := url.Parse(href)
	page, err2 := url.Parse(o.Error.Type)
	if err1 != nil || err2 != nil {
		return o.Error.Type
	}
	return server.ResolveReference(page).String()
}

// elapsed is how long the operation has taken until now, or took until it came to rest.
func (o opOcc) elapsed(now time.Time) time.Duration {
	if o.over() {
		now = o.StateEntered
	}
	return now.Sub(o.Start)
}

// eq is one condition of a filter.
type eq struct{ attribute, value string }

func (e eq) expression() string { return "(eq," + e.attribute + "," + quotedValue(e.value) + ")" }

// filter makes a query of SOL013 clause 5.2 from the conditions that have a value.
func filter(conditions ...eq) string {
	var parts []string
	for _, c := range conditions {
		if c.value != "" {
			parts = append(parts, c.expression())
		}
	}
	return filterText(parts...)
}

// filterText makes a query from expressions, without the empty ones.
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
		Example: "  windlass op show edge-1",
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
		c.describeOp(w, o, rows)
		for _, row := range rows {
			for _, d := range row.Decisions {
				field(w, "Drain of "+row.Node, d.Action+": "+d.Detail)
			}
		}
	})
}

func (c *cli) describeOp(w io.Writer, o opOcc, rows []step) {
	field(w, "ID", o.ID)
	field(w, "Operation", o.Operation)
	field(w, "State", o.State)
	if s := current(rows); s != nil && !o.State.Terminal() {
		field(w, "Step", s.name()+s.pace(c.now()))
		c.describeRetry(w, s.tried(rows))
	}
	field(w, "VNF instance", o.VnfInstanceID)
	field(w, "Started", o.Start.UTC().Format(time.RFC3339))
	field(w, "Time", duration(o.elapsed(c.now())))
	if o.IsCancelPending {
		field(w, "Cancel pending", o.CancelMode)
	}
	if o.Error != nil {
		field(w, "Error", o.Error.Detail)
		field(w, "Remedy", o.Error.Remedy)
		field(w, "See", o.remedies())
	}
	if o.State == lcm.FailedTemp {
		for _, d := range lcm.DecisionsAfter(o.Error.cause(), o.canRollBack()) {
			field(w, "To do", fmt.Sprintf("%s: windlass op %s %s", d.Purpose, d.Action, o.ID))
		}
	}
}

// describeRetry says how the step is tried again.
func (c *cli) describeRetry(w io.Writer, r *retry) {
	if r == nil {
		return
	}
	field(w, "Attempt", r.count())
	if r.Next != nil {
		field(w, "Next try", r.in(c.now()))
	}
	if r.Error != nil {
		field(w, "Last error", r.Error.Detail)
	}
}

// newOpDecision makes the command of a task resource without a body.
func newOpDecision(c *cli, action lcm.Action, short, done string) *cobra.Command {
	wanted := map[lcm.Action]lcm.OperationState{
		lcm.Rollback: lcm.RolledBack, lcm.Fail: lcm.Failed, lcm.Retry: lcm.Completed,
	}
	var how manner
	cmd := &cobra.Command{
		Use:     string(action) + " ID",
		Short:   short,
		Long:    short + ". The operation must be in FAILED_TEMP.",
		Example: fmt.Sprintf("  windlass op %s edge-1 --watch", action),
		Args:    exactly("ID"),
	}
	how.addWaitFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := how.check(cmd); err != nil {
			return err
		}
		var before opOcc
		if err := c.client.get(cmd.Context(), c.opPath(args[0]), &before); err != nil {
			return err
		}
		past := c.past(cmd.Context(), args[0], how)
		if _, err := c.client.send(cmd.Context(), http.MethodPost, c.opPath(args[0])+"/"+string(action), nil,
			nil); err != nil {
			return err
		}
		if how.watch || how.wait {
			return c.await(cmd.Context(), args[0], how, &watcher{after: before, past: past, want: wanted[action]})
		}
		c.confirm("Operation %s %s.", args[0], done)
		return nil
	}
	return cmd
}

func newOpCancel(c *cli) *cobra.Command {
	var mode string
	var how manner
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "Stop an operation that runs",
		Long: `Stop an operation that runs. It ends in FAILED_TEMP, or in ROLLED_BACK if it has done nothing yet.
GRACEFUL lets the present step end, but ends a wait at once. FORCEFUL interrupts the step and kills its commands on the
nodes.`,
		Example: "  windlass op cancel edge-1 --mode FORCEFUL --watch",
		Args:    exactly("ID"),
	}
	cmd.Flags().StringVar(&mode, "mode", string(lcm.Graceful), "GRACEFUL or FORCEFUL")
	how.addWaitFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := how.check(cmd); err != nil {
			return err
		}
		mode = strings.ToUpper(mode)
		if mode != string(lcm.Graceful) && mode != string(lcm.Forceful) {
			return usageErrorf(cmd, "--mode must be GRACEFUL or FORCEFUL, not %q.", mode)
		}
		request := map[string]string{"cancelMode": mode}
		past := c.past(cmd.Context(), args[0], how)
		if _, err := c.client.send(cmd.Context(), http.MethodPost, c.opPath(args[0])+"/cancel", request, nil); err != nil {
			return err
		}
		if how.watch || how.wait {
			return c.await(cmd.Context(), args[0], how, &watcher{past: past, want: lcm.FailedTemp})
		}
		c.confirm("Operation %s is being cancelled (%s).", args[0], mode)
		return nil
	}
	return cmd
}

func (c *cli) opPath(id string) string { return c.client.lcm + "/vnf_lcm_op_occs/" + id }
