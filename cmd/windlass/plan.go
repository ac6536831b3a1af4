package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// plan is the answer of /windlass/v1 about an operation's plan.
type plan struct {
	lcm.Plan
	Adds    int `json:"instancesToAdd"`
	Removes int `json:"instancesToRemove"`
	Steps   []struct {
		Title string `json:"title"`
		Undo  string `json:"undo"`
	} `json:"steps"`
	ForwardOnlyFrom *int `json:"forwardOnlyFrom"`
	Vim             *struct {
		Problems []string `json:"problems"`
		Unasked  string   `json:"unasked"`
	} `json:"vim"`
	Quota *struct {
		Instances int  `json:"instances"`
		Cores     *int `json:"cores"`
		RAM       *int `json:"ramMb"`
		Ports     int  `json:"ports"`
		Volumes   int  `json:"volumes"`
	} `json:"quota"`
}

// showPlan shows the changes that an operation would make.
func (c *cli) showPlan(ctx context.Context, instance string, op lcm.Operation, request any) error {
	return c.askPlan(ctx, instance, map[string]any{"operation": op, "request": request, "askVim": true})
}

func (c *cli) askPlan(ctx context.Context, instance string, body map[string]any) error {
	var raw json.RawMessage
	if _, err := c.client.send(ctx, http.MethodPost, "/windlass/v1/vnf_instances/"+instance+"/plan", body,
		&raw); err != nil {
		return ofRequest(err)
	}
	p, err := c.printPlan(raw)
	if err != nil {
		return err
	}
	if p.Vim != nil && len(p.Vim.Problems) > 0 {
		return errors.New("the VIM refuses this plan: mend these problems, or the operation fails in the same way")
	}
	return nil
}

// ofRequest gives a mistake's path in the operation's request, because people edit the file with that request. The
// request for a plan contains the operation's request.
func ofRequest(err error) error {
	e, ok := errors.AsType[*apiError](err)
	if !ok {
		return err
	}
	const within = "$.request"
	e.Detail = strings.ReplaceAll(strings.ReplaceAll(e.Detail, within+".", "$."), within+":", "$:")
	for i, p := range e.Problems {
		if rest, found := strings.CutPrefix(p.Path, within); found {
			e.Problems[i].Path = "$" + rest
		}
	}
	return e
}

func newOpPlan(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "plan ID",
		Short: "Show the plan that a scaling or a healing carries out",
		Long: `Show the changes that a scaling or a heal has decided on. It decides once, in its first step, and a retry
works on the same VNFCs. For an operation that has not begun, use --plan of 'windlass vnf scale', 'scale-to-level',
'heal', 'operate', 'instantiate' and 'terminate'.`,
		Example: "  windlass op plan edge-1",
		Args:    exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var raw json.RawMessage
			if err := c.client.get(cmd.Context(), progressPath+"/"+args[0]+"/plan", &raw); err != nil {
				return err
			}
			_, err := c.printPlan(raw)
			return err
		},
	}
}

func (c *cli) printPlan(raw json.RawMessage) (plan, error) {
	p, err := decode[plan](raw)
	if err != nil {
		return p, err
	}
	return p, c.print(raw, func(w io.Writer) {
		field(w, "Operation", p.Operation)
		for _, g := range p.Groups {
			field(w, "VMs of "+g.VduID, fmt.Sprintf("from %d to %d", g.From, g.To))
		}
		if p.Bitrates {
			field(w, "Virtual links", "other bit rates")
		}
		field(w, "VMs to make", p.Adds)
		field(w, "VMs to delete", p.Removes)
		field(w, "Quota", p.quota())
		p.printVim(w)
		if p.ChangeStateTo != "" {
			field(w, "VMs "+map[lcm.VnfState]string{lcm.VnfStarted: "to start", lcm.VnfStopped: "to stop"}[p.ChangeStateTo],
				len(p.Operated))
		}
		for _, v := range p.LeavingVolumes {
			field(w, "Volume to replace", v+" with all that is on it")
		}
		for _, port := range p.LeavingPorts {
			field(w, "Port to replace", port)
		}
		if p.KeepVolumes || len(p.Keepers) > 0 {
			field(w, "Volumes", "are kept, with all that is on them")
		}
		field(w, "Level then", p.InstantiationLevelID)
		for _, s := range p.ScaleStatus {
			field(w, "Scale level then", fmt.Sprintf("%s %d", s.AspectID, s.ScaleLevel))
		}
		p.printLeaving(w)
		p.printOperated(w)
		p.printSteps(w)
	})
}

// quota is the room that the cloud must have, as far as it is known.
func (p plan) quota() string {
	if p.Quota == nil {
		return ""
	}
	text := fmt.Sprintf("%d instances", p.Quota.Instances)
	if p.Quota.Cores != nil {
		text += fmt.Sprintf(", %d cores", *p.Quota.Cores)
	}
	if p.Quota.RAM != nil {
		text += fmt.Sprintf(", %d MiB of memory", *p.Quota.RAM)
	}
	return text + fmt.Sprintf(", %d ports, %d volumes", p.Quota.Ports, p.Quota.Volumes)
}

// printVim shows the VIM's answer. It also says if the VIM reports no problem, because the VIM was asked.
func (p plan) printVim(w io.Writer) {
	if p.Vim == nil {
		return
	}
	for _, problem := range p.Vim.Problems {
		field(w, "VIM says", problem)
	}
	if p.Vim.Unasked != "" {
		field(w, "VIM was not asked", p.Vim.Unasked)
	} else if len(p.Vim.Problems) == 0 {
		field(w, "VIM says", "it has everything for this plan")
	}
}

func (p plan) printLeaving(w io.Writer) {
	if len(p.Leaving) == 0 {
		return
	}
	title := "LEAVES"
	if p.Replaces() {
		title = "IS REPLACED"
	}
	fmt.Fprintln(w)
	row(w, title, "VDU", "VNFC", "BECAUSE")
	for _, l := range p.Leaving {
		row(w, l.Node, l.VduID, l.VnfcID, l.Why)
	}
}

func (p plan) printOperated(w io.Writer) {
	if len(p.Operated) == 0 {
		return
	}
	fmt.Fprintln(w)
	row(w, map[lcm.VnfState]string{lcm.VnfStarted: "IS STARTED", lcm.VnfStopped: "IS STOPPED"}[p.ChangeStateTo], "VDU",
		"VNFC", "IS NOW")
	for _, v := range p.Operated {
		row(w, v.Node, v.VduID, v.VnfcID, v.Was)
	}
}

func (p plan) printSteps(w io.Writer) {
	if len(p.Steps) == 0 {
		return
	}
	fmt.Fprintln(w)
	row(w, "#", "STEP", "ROLLBACK")
	for i, s := range p.Steps {
		undo := s.Undo
		if p.ForwardOnlyFrom != nil && i >= *p.ForwardOnlyFrom {
			undo = "none any more"
		}
		row(w, i, s.Title, undo)
	}
}
