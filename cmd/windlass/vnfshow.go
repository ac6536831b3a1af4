package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func newVnfShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID...",
		Aliases: []string{"get"},
		Short:   "Show VNF instances: nodes, endpoint, last operation, drift, and what to do next",
		Long: `Show a VNF instance: the endpoint of its cluster, its nodes with their addresses, the holder of
the virtual IP, the last operation, the result of the last drift check, and the next command to give. ID may be the
name of the instance, or the beginning of its id. With several ids, JSON and YAML are a list, as of 'vnf list'.`,
		Example: "  windlass vnf show edge-1\n  windlass vnf show edge-1 edge-2\n  windlass vnf show 1f9d -o json",
		Args:    atLeastOne("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			instances := make([]json.RawMessage, len(args))
			for i, id := range args {
				if err := c.client.get(cmd.Context(), c.instancePath(id), &instances[i]); err != nil {
					return err
				}
			}
			return c.showVnfs(cmd.Context(), instances)
		},
	}
}

func (c *cli) showVnfs(ctx context.Context, instances []json.RawMessage) error {
	switch {
	case c.structured() && len(instances) == 1:
		return c.print(instances[0], nil)
	case c.structured():
		items, err := decodeAll[vnfInstance](instances)
		if err != nil {
			return err
		}
		return c.printStructuredList(instances, func() (names []string) {
			for _, i := range items {
				names = append(names, "vnf/"+i.ID)
			}
			return names
		})
	}
	for i, raw := range instances {
		if i > 0 {
			fmt.Fprintln(c.out)
		}
		if err := c.describeVnf(ctx, raw); err != nil {
			return err
		}
	}
	return nil
}

// topology is the parts of a VNF, as the API shows them.
type topology struct {
	Endpoint string `json:"endpoint"`
	Parts    []part `json:"parts"`
}

// part is a node of a cluster, or another server or object.
type part struct {
	Name           string             `json:"name"`
	Role           string             `json:"role"`
	VnfcInstanceID string             `json:"vnfcInstanceId"`
	Address        string             `json:"address"`
	Health         string             `json:"health"`
	HoldsVirtualIP bool               `json:"holdsVirtualIp"`
	Findings       []lcm.DriftFinding `json:"findings"`
}

// state is the state of the part, with the findings of the last check.
func (p part) state() string {
	words := []string{p.Health}
	for _, f := range p.Findings {
		words = append(words, string(f.Kind))
	}
	return strings.Join(words, ", ")
}

// printVnf shows an instance by its record alone.
func (c *cli) printVnf(raw json.RawMessage) error {
	i, err := decode[vnfInstance](raw)
	if err != nil {
		return err
	}
	return c.print(raw, func(w io.Writer) { i.describe(w) })
}

// describeVnf shows an instance with all data about it. Parts that cannot be read are left out.
func (c *cli) describeVnf(ctx context.Context, raw json.RawMessage) error {
	i, err := decode[vnfInstance](raw)
	if err != nil {
		return err
	}
	about := map[string]overview{}
	c.readOverviews(ctx, []vnfInstance{i}, about)
	var parts topology
	_ = c.client.get(ctx, "/windlass/v1/vnf_instances/"+url.PathEscape(i.ID)+"/topology", &parts)
	next := c.advice(ctx, i.ID)
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	i.describe(w)
	field(w, "Endpoint", parts.Endpoint)
	c.describeState(w, i, about[i.ID])
	for _, line := range append(next, i.nextSteps(about[i.ID])...) {
		field(w, "To do", line)
	}
	printParts(w, i, parts.Parts)
	return w.Flush()
}

// describe prints the instance's record.
func (i vnfInstance) describe(w io.Writer) {
	field(w, "ID", i.ID)
	field(w, "Name", i.Name)
	field(w, "Description", i.Description)
	field(w, "State", i.State)
	field(w, "VNFD", i.VnfdID)
	field(w, "Product", strings.TrimSpace(i.Provider+" "+i.Product+" "+i.SoftwareVersion))
	for _, key := range sortedKeys(i.Metadata) {
		field(w, "Metadata "+key, i.Metadata[key])
	}
	in := i.InstantiatedVnfRef
	if in == nil {
		return
	}
	field(w, "Flavour", in.FlavourID)
	field(w, "VNF state", in.VnfState)
	for _, s := range in.Scale {
		field(w, "Scale level", fmt.Sprintf("%s %d", s.AspectID, s.Level))
	}
	for _, r := range i.registry() {
		field(w, "Registry", r.URL()+" (windlass vnf registry "+i.ID+")")
	}
}

// describeState prints the instance's age, its last operation and its drift.
func (c *cli) describeState(w io.Writer, i vnfInstance, about overview) {
	field(w, "Age", c.ageOf(about.Created))
	if o := about.Last; o != nil {
		field(w, "Last operation", fmt.Sprintf("%s, %s ago (windlass op show %s)", about.operation(),
			age(c.now().Sub(o.Entered)), o.ID))
	}
	switch d := about.Drift; {
	case d != nil && d.Findings == 0:
		field(w, "Drift", "none, checked "+d.Checked.UTC().Format(time.RFC3339))
	case d != nil:
		field(w, "Drift", fmt.Sprintf("%d differences, checked %s (windlass vnf drift %s)", d.Findings,
			d.Checked.UTC().Format(time.RFC3339), i.ID))
	case i.InstantiatedVnfRef != nil:
		field(w, "Drift", "never checked (windlass vnf drift "+i.ID+" --check)")
	}
}

// nextSteps are the usual next steps with an instance that waits for nothing.
func (i vnfInstance) nextSteps(about overview) []string {
	given := i.Name
	if given == "" || strings.ContainsAny(given, " '\"") {
		given = i.ID
	}
	last := lcm.OperationState("")
	if about.Last != nil {
		last = about.Last.State
	}
	switch {
	case last != "" && !last.Terminal():
		return nil // it is under way, or a decision is waited for, which is told
	case i.InstantiatedVnfRef == nil && last == lcm.Failed && about.Last.Operation.Makes():
		return []string{
			"delete what the failed INSTANTIATE has left, if it has left anything: windlass vnf terminate " + given +
				" --leftovers --watch",
			"or instantiate it again, which replaces that: windlass vnf instantiate " + given + " request.json --watch",
		}
	case i.InstantiatedVnfRef == nil:
		return []string{"instantiate it: windlass vnf instantiate " + given + " request.json --watch"}
	case about.Drift != nil && about.Drift.Findings > 0:
		return []string{"look at the differences and their remedies: windlass vnf drift " + given}
	}
	return nil
}

// printParts writes the nodes of a cluster, or the VNFCs of another VNF.
func printParts(w io.Writer, i vnfInstance, parts []part) {
	if len(parts) > 0 {
		fmt.Fprintln(w)
		row(w, "NODE", "ROLE", "ADDRESS", "HEALTH", "VIRTUAL IP", "VNFC")
		for _, p := range parts {
			row(w, p.Name, p.Role, p.Address, p.state(), map[bool]string{true: "holds it"}[p.HoldsVirtualIP], p.VnfcInstanceID)
		}
	}
	if in := i.InstantiatedVnfRef; in != nil && len(parts) == 0 && len(in.Vnfcs) > 0 {
		fmt.Fprintln(w)
		row(w, "VNFC", "VDU", "RESOURCE")
		for _, v := range in.Vnfcs {
			row(w, v.ID, v.VduID, v.Compute.ResourceID)
		}
	}
}
