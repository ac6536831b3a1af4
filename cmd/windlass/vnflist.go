package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const overviewsPath = "/windlass/v1/vnf_instances"

// overview is the API's data about an instance beyond its record.
type overview struct {
	ID      string    `json:"id"`
	Created time.Time `json:"createdAt"`
	Last    *struct {
		ID        string             `json:"id"`
		Operation lcm.Operation      `json:"operation"`
		State     lcm.OperationState `json:"operationState"`
		Start     time.Time          `json:"startTime"`
		Entered   time.Time          `json:"stateEnteredTime"`
	} `json:"lastOperation"`
	Drift *struct {
		Checked  time.Time `json:"checkedAt"`
		Findings int       `json:"findings"`
	} `json:"drift"`
}

// operation is the last operation with its state.
func (o overview) operation() string {
	if o.Last == nil {
		return ""
	}
	return fmt.Sprintf("%s %s", o.Last.Operation, o.Last.State)
}

// drift is how many differences there are.
func (o overview) drift() string {
	switch {
	case o.Drift == nil:
		return ""
	case o.Drift.Findings == 0:
		return "none"
	default:
		return fmt.Sprintf("%d", o.Drift.Findings)
	}
}

func newVnfList(c *cli) *cobra.Command {
	var f listFlags
	var selector string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the VNF instances, with their last operation, drift and age",
		Long: `List the VNF instances, each with its last operation, the number of differences that the last drift
check has found, and its age. -l chooses by metadata, --filter by every attribute that the API can filter by.`,
		Example: "  windlass vnf list\n  windlass vnf list -l site=north,rack!=7 --sort-by -age\n  windlass vnf list -w\n" +
			"  windlass vnf list --filter '(eq,instantiationState,INSTANTIATED)' -o jsonpath='{.items[*].id}'",
		Args: exactly(),
	}
	addSelectorFlag(cmd, &selector)
	f.addListFlags(cmd)
	f.addFilterFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		selected, err := metadataFilter("metadata", selector)
		if err != nil {
			return usageErrorf(cmd, "%s", sentence(err.Error()))
		}
		query := filterText(f.filter, selected)
		if f.sortBy == "" && !c.structured() {
			f.sortBy = "name" // the API's order is that of the ids, which says nothing to people
		}
		return showList(cmd, c, f, c.vnfTable(), func(ctx context.Context) ([]json.RawMessage, error) {
			return list[json.RawMessage](ctx, c.client, c.client.lcm+"/vnf_instances"+query)
		})
	}
	return cmd
}

func (c *cli) vnfTable() table[vnfInstance] {
	about := map[string]overview{}
	return table[vnfInstance]{
		kind: "vnf", id: func(i vnfInstance) string { return i.ID },
		columns: []column[vnfInstance]{
			{name: "ID", of: func(i vnfInstance) any { return i.ID }},
			{name: "NAME", of: func(i vnfInstance) any { return i.Name }},
			{name: "PRODUCT", of: func(i vnfInstance) any { return i.Product }},
			{name: "STATE", of: func(i vnfInstance) any { return i.State }},
			{name: "LAST OPERATION", of: func(i vnfInstance) any { return about[i.ID].operation() }},
			{name: "DRIFT", of: func(i vnfInstance) any { return about[i.ID].drift() }},
			{
				name: "AGE", of: func(i vnfInstance) any { return c.ageOf(about[i.ID].Created) }, moving: true,
				key: func(i vnfInstance) any { return c.now().Sub(about[i.ID].Created).Seconds() },
			},
			{name: "VERSION", of: func(i vnfInstance) any { return i.SoftwareVersion }, wide: true},
			{name: "VNFD", of: func(i vnfInstance) any { return i.VnfdID }, wide: true},
			{name: "DESCRIPTION", of: func(i vnfInstance) any { return i.Description }, wide: true},
		},
		before: func(ctx context.Context, items []vnfInstance) { c.readOverviews(ctx, items, about) },
	}
}

func (c *cli) ageOf(created time.Time) string {
	if created.IsZero() {
		return ""
	}
	return age(c.now().Sub(created))
}

// fewOverviews is the number of instances up to which overviews are read one by one.
const fewOverviews = 3

// readOverviews reads the data of tables that instances' records lack. If the API has no such data, it is left out.
func (c *cli) readOverviews(ctx context.Context, items []vnfInstance, into map[string]overview) {
	queries := []url.Values{{"limit": {"500"}}}
	if len(items) <= fewOverviews {
		queries = nil
		for _, i := range items {
			queries = append(queries, url.Values{"search": {i.ID}})
		}
	}
	for _, query := range queries {
		found, err := list[overview](ctx, c.client, overviewsPath+"?"+query.Encode())
		if err != nil {
			return
		}
		for _, o := range found {
			into[o.ID] = o
		}
	}
}

// addSelectorFlag adds the flag to commands that list resources with metadata.
func addSelectorFlag(cmd *cobra.Command, selector *string) {
	cmd.Flags().StringVarP(selector, "selector", "l", "", "only those with such metadata: "+selectorForm)
}

// selectorForm is the syntax of selectors.
const selectorForm = "`key=value,...`; also !=, key in (a,b), key notin (a,b)"

// metadataFilter turns a selector in kubectl's form into a filter of the API. attribute is the API's attribute for the
// metadata.
func metadataFilter(attribute, selector string) (string, error) {
	if selector == "" {
		return "", nil
	}
	parsed, err := labels.Parse(selector)
	if err != nil {
		return "", fmt.Errorf("-l is not a valid selector: %w", err)
	}
	requirements, _ := parsed.Requirements()
	var parts []string
	for _, r := range requirements {
		op, known := map[selection.Operator]string{
			selection.Equals: "eq", selection.DoubleEquals: "eq", selection.In: "in", selection.NotEquals: "neq",
			selection.NotIn: "nin",
		}[r.Operator()]
		if !known {
			return "", fmt.Errorf("-l accepts =, !=, in and notin, not %q", r.String())
		}
		values := r.Values().List()
		for i, v := range values {
			values[i] = quotedValue(v)
		}
		name := strings.NewReplacer("~", "~0", "/", "~1", ",", "~a", "@", "~b").Replace(r.Key())
		parts = append(parts, fmt.Sprintf("(%s,%s/%s,%s)", op, attribute, name, strings.Join(values, ",")))
	}
	return strings.Join(parts, ";"), nil
}
