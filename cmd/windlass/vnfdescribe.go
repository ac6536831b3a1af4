package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// Limits of the described history of an instance.
const (
	describedOperations = 10
	describedEvents     = 25
)

func newVnfDescribe(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "describe ID",
		Short: "Show all about a VNF instance: nodes, operations, parameters, events",
		Long: `Show all about a VNF instance: the output of 'windlass vnf show', its last operations with their
errors, the parameters of its instantiation without secrets, and the steps of its last operation.`,
		Example: "  windlass vnf describe edge-1\n  windlass vnf describe edge-1 -o yaml",
		Args:    exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var raw json.RawMessage
			if err := c.client.get(cmd.Context(), c.instancePath(args[0]), &raw); err != nil {
				return err
			}
			d := c.readDescription(cmd.Context(), raw, args[0])
			if c.structured() {
				return c.print(d, nil)
			}
			if err := c.describeVnf(cmd.Context(), raw); err != nil {
				return err
			}
			return d.write(c)
		},
	}
}

// description is the data about an instance beyond its shown record. Parts that cannot be read are left out.
type description struct {
	Vnf        json.RawMessage   `json:"vnfInstance"`
	Topology   json.RawMessage   `json:"topology,omitempty"`
	Operations []json.RawMessage `json:"operations"`
	// Parameters are the parameters of the instantiation, as the API shows them: secrets are masked.
	Parameters json.RawMessage   `json:"instantiationParams,omitempty"`
	Events     []json.RawMessage `json:"steps,omitempty"`
}

func (c *cli) readDescription(ctx context.Context, vnf json.RawMessage, id string) description {
	d := description{Vnf: vnf, Operations: []json.RawMessage{}}
	_ = c.client.get(ctx, "/windlass/v1/vnf_instances/"+url.PathEscape(id)+"/topology", &d.Topology)
	raw, err := c.operations(ctx, filter(eq{"vnfInstanceId", id}))
	if err != nil {
		return d
	}
	ops, err := decodeAll[opOcc](raw)
	if err != nil {
		return d
	}
	for i, o := range ops[:min(len(ops), describedOperations)] {
		var whole json.RawMessage // with its error, which lists leave out
		if c.client.get(ctx, c.opPath(o.ID), &whole) != nil {
			whole = raw[i]
		}
		d.Operations = append(d.Operations, whole)
	}
	if i := slices.IndexFunc(ops, func(o opOcc) bool { return o.Operation.Makes() }); i >= 0 {
		var of struct {
			Params json.RawMessage `json:"operationParams"`
		}
		_ = c.client.get(ctx, c.opPath(ops[i].ID), &of)
		d.Parameters = of.Params
	}
	if len(ops) > 0 {
		d.Events, _, _ = c.steps(ctx, ops[0].ID)
	}
	return d
}

func (d description) write(c *cli) error {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	ops, err := decodeAll[opOcc](d.Operations)
	if err != nil {
		return err
	}
	if len(ops) > 0 {
		fmt.Fprintf(w, "\nOPERATION\tSTATE\tSTARTED\tTIME\tID\tERROR\n")
		for _, o := range ops {
			why := ""
			if o.Error != nil {
				why = o.Error.Detail
			}
			row(w, o.Operation, o.State, o.Start.UTC().Format(time.RFC3339), duration(o.elapsed(c.now())), o.ID, why)
		}
	}
	if err := d.writeEvents(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return d.writeParameters(c.out)
}

// writeEvents prints the events of the last operation, the latest last.
func (d description) writeEvents(w io.Writer) error {
	steps, err := decodeAll[step](d.Events)
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(s step) bool { return s.Started == nil })
	slices.SortStableFunc(steps, func(a, b step) int { return a.lastChange().Compare(b.lastChange()) })
	if len(steps) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nEVENT\tSTEP\tNODE\tSTATE\tLAST LINE OR ERROR\n")
	for _, s := range steps[max(0, len(steps)-describedEvents):] {
		row(w, s.lastChange().UTC().Format(time.RFC3339), s.name(), s.Node, s.State, s.remark())
		for _, decision := range s.Decisions {
			row(w, "", "", s.Node, decision.Action, decision.Detail)
		}
	}
	return nil
}

// lastChange is when the step began or ended.
func (s step) lastChange() time.Time { return *cmp.Or(s.Ended, s.Started) }

func (d description) writeParameters(w io.Writer) error {
	if len(d.Parameters) == 0 || bytes.Equal(d.Parameters, []byte("null")) {
		return nil
	}
	text, err := yamlOf(d.Parameters)
	if err != nil {
		return fmt.Errorf("write the parameters as YAML: %w", err)
	}
	fmt.Fprintln(w, "\nParameters of the instantiation:")
	for line := range strings.Lines(string(text)) {
		fmt.Fprint(w, "  "+line)
	}
	return nil
}
