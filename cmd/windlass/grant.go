package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// grant is the answer of /windlass/v1 about an operation's grant.
type grant struct {
	lcm.Grant
	Links map[string]struct {
		Href string `json:"href"`
	} `json:"_links"`
}

func newOpGrant(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "grant ID",
		Short: "Show the grant of an operation",
		Long: `Show the grant of an operation: the servers that it may make, remove or change, where, and why.
Windlass itself or the NFVO decides this before the operation begins, and never changes it afterwards. An operation
in STARTING has none yet, a modification needs none.`,
		Example: "  windlass op grant edge-1",
		Args:    exactly("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var raw json.RawMessage
			if err := c.client.get(cmd.Context(), progressPath+"/"+args[0]+"/grant", &raw); err != nil {
				return err
			}
			g, err := decode[grant](raw)
			if err != nil {
				return err
			}
			return c.print(raw, func(w io.Writer) { g.print(w) })
		},
	}
}

func (g grant) print(w io.Writer) {
	field(w, "ID", g.ID)
	field(w, "Granted by", cmp.Or(g.Links["self"].Href, "Windlass itself"))
	for _, v := range g.VimConnections {
		field(w, "VIM", v.VimType+" "+string(v.VimID))
	}
	for _, z := range g.Zones {
		field(w, "Zone", z.ZoneID)
	}
	if assets := g.VimAssets; assets != nil {
		for _, f := range assets.ComputeResourceFlavours {
			field(w, "Flavour of "+f.VduID, f.VimFlavourID)
		}
		for _, i := range assets.SoftwareImages {
			field(w, "Image of "+i.SoftwareImageID, i.VimImageID)
		}
	}
	g.printResources(w, "MAY MAKE", g.AddResources)
	g.printResources(w, "MAY REMOVE", g.RemoveResources)
	g.printResources(w, "MAY CHANGE", g.UpdateResources)
}

// printResources names an existing server by its node in the cluster, and a resource to be made by its definition.
func (g grant) printResources(w io.Writer, title string, resources []lcm.GrantResource) {
	if len(resources) == 0 {
		return
	}
	zones := map[string]string{}
	for _, z := range g.Zones {
		zones[z.ID] = z.ZoneID
	}
	fmt.Fprintln(w)
	row(w, title, "VDU", "ZONE", "VNFC", "REPLACES", "BECAUSE")
	for _, r := range resources {
		row(w, cmp.Or(r.Node, r.ResourceDefinitionID), r.VduID, zones[r.ZoneID], r.VnfcInstanceID, r.Replaces, r.Why)
	}
}
