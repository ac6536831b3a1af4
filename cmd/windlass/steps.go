package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// step is one row of /windlass/v1/vnf_lcm_op_occs/{id}/steps: a step, or one node's part of it.
type step struct {
	Index    int           `json:"index"`
	Phase    lcm.Phase     `json:"phase"`
	Title    string        `json:"title"`
	Node     string        `json:"node"`
	State    lcm.StepState `json:"state"`
	Attempt  int           `json:"attempt"`
	Started  *time.Time    `json:"startedAt"`
	Ended    *time.Time    `json:"endedAt"`
	Error    *apiError     `json:"error"`
	LastLine string        `json:"lastOutputLine"`
	Retry    *retry        `json:"retry"`
	// Usual is in seconds, 0 if nobody knows. Slow tells that the step takes much longer.
	Usual float64 `json:"usualSeconds"`
	Slow  bool    `json:"slow"`
	// Decisions are the decisions about a node that did not become empty by itself.
	Decisions []struct {
		Action string `json:"action"`
		Detail string `json:"detail"`
	} `json:"decisions"`
}

// name is the title of the step; the title of an undone step says that it is undone.
func (s step) name() string { return s.Title }

// current is the step under way, or else the step that began last: in FAILED_TEMP this is the failed step. It is nil
// before the first step.
func current(rows []step) (found *step) {
	for i, s := range rows {
		switch {
		case s.Node != "" || s.Started == nil:
		case found == nil, s.State == lcm.StepRunning,
			found.State != lcm.StepRunning && !s.Started.Before(*found.Started):
			found = &rows[i]
		}
	}
	return found
}

// tried tells how the work of the whole step, or of the node with the most attempts, is tried again.
func (s *step) tried(rows []step) *retry {
	found := s.Retry
	for _, part := range rows {
		if part.Index == s.Index && part.Phase == s.Phase && part.Retry != nil &&
			(found == nil || s.Retry == nil && part.Retry.Attempt > found.Attempt) {
			found = part.Retry
		}
	}
	return found
}

// elapsed is how long the step has taken until now, or took; 0 before it began.
func (s step) elapsed(now time.Time) time.Duration {
	if s.Started == nil {
		return 0
	}
	if s.Ended != nil {
		now = *s.Ended
	}
	return now.Sub(*s.Started)
}

// pace says that the step is slow, and how long it takes otherwise.
func (s step) pace(now time.Time) string {
	usual := time.Duration(s.Usual * float64(time.Second))
	switch {
	case s.State != lcm.StepRunning || s.Node != "" || !s.Slow && !lcm.IsSlow(usual, s.elapsed(now)):
		return ""
	case s.Usual == 0:
		return ", slow"
	}
	return ", " + usually(s.Usual)
}

// remark is when and why the step is tried again, else its error, else its last line of output.
func (s step) remark() string {
	if said := s.Retry.said(s.Retry.at()); said != "" {
		return said
	}
	if s.Error != nil {
		return s.Error.Detail
	}
	return s.LastLine
}

// duration shows d as operators speak of it: to the second, or finer when it is short.
func duration(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func (c *cli) steps(ctx context.Context, id string) ([]json.RawMessage, []step, error) {
	raw, err := list[json.RawMessage](ctx, c.client, progressPath+"/"+id+"/steps")
	if err != nil {
		return nil, nil, err
	}
	steps, err := decodeAll[step](raw)
	return raw, steps, err
}

func newOpSteps(c *cli) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "steps ID",
		Short: "Show the steps of an operation with node, state, attempts and time",
		Example: "  windlass op steps edge-1\n" +
			"  windlass op steps edge-1 --sort-by -time",
		Args: exactly("ID"),
	}
	f.addListFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return showList(cmd, c, f, c.stepTable(), func(ctx context.Context) ([]json.RawMessage, error) {
			raw, _, err := c.steps(ctx, args[0])
			return raw, err
		})
	}
	return cmd
}

func (c *cli) stepTable() table[step] {
	return table[step]{
		kind: "step",
		id:   func(s step) string { return fmt.Sprintf("%d %s %s", s.Index, s.Phase, s.Node) },
		columns: []column[step]{
			{name: "#", of: func(s step) any { return s.Index }},
			{name: "STEP", of: func(s step) any { return s.name() }},
			{name: "NODE", of: func(s step) any { return s.Node }},
			{name: "STATE", of: func(s step) any { return s.State }},
			{name: "ATTEMPT", of: func(s step) any { return attempts(s) }},
			{
				name: "TIME", moving: true, key: func(s step) any { return s.elapsed(c.now()).Seconds() },
				of: func(s step) any {
					if s.Started == nil {
						return ""
					}
					return duration(s.elapsed(c.now())) + s.pace(c.now())
				},
			},
			{name: "LAST LINE OR ERROR", of: func(s step) any { return s.remark() }},
		},
	}
}

func attempts(s step) string {
	if s.Retry != nil {
		return s.Retry.count()
	}
	if s.Attempt == 0 {
		return ""
	}
	return strconv.Itoa(s.Attempt)
}

// explainSilence tells why there is no output: no such step or node exists, or it has printed nothing.
func (c *cli) explainSilence(ctx context.Context, op string, number int, node string) error {
	_, steps, err := c.steps(ctx, op)
	if err != nil {
		return err
	}
	last, found, nodes := -1, false, []string{}
	for _, s := range steps {
		last = max(last, s.Index)
		found = found || s.Index == number
		if s.Index == number && s.Node != "" && !slices.Contains(nodes, s.Node) {
			nodes = append(nodes, s.Node)
		}
	}
	switch {
	case last < 0:
		return fmt.Errorf("operation %s has no steps yet", op)
	case !found:
		return fmt.Errorf("operation %s has no step %d; its steps are 0 to %d", op, number, last)
	case node != "" && !slices.Contains(nodes, node):
		return fmt.Errorf("step %d does nothing on a node %q; its nodes are: %s", number, node,
			cmp.Or(strings.Join(nodes, ", "), "none"))
	}
	fmt.Fprintf(c.err, "Step %d has printed nothing.\n", number)
	return nil
}
