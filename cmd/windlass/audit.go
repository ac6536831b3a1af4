package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

const auditPath = "/windlass/v1/audit"

// auditRecord is one request that changed something, or was to.
type auditRecord struct {
	ID        int64     `json:"id"`
	TimeStamp time.Time `json:"timeStamp"`
	Client    string    `json:"client"`
	ProjectID string    `json:"projectId"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Resource  string    `json:"resource,omitempty"`
	Status    int       `json:"status"`
	RequestID string    `json:"requestId"`
	Remote    string    `json:"remote"`
}

func newAudit(c *cli) *cobra.Command {
	var limit int
	var before int64
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show who has changed what",
		Long: `Show the requests that changed something, or were to, the newest first: of your project, or of all projects to an
administrator. --json shows also the address that a request came from, and its id, which is in the log, too.`,
		Example: "  windlass audit --limit 20\n  windlass audit --before 812",
		Args:    exactly(),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "`number` of records, at most 1000")
	cmd.Flags().Int64Var(&before, "before", 0, "only those before the record of that `id`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		if before != 0 {
			query.Set("before", strconv.FormatInt(before, 10))
		}
		var records []auditRecord
		if _, err := c.client.send(cmd.Context(), http.MethodGet, auditPath+"?"+query.Encode(), nil, &records); err != nil {
			return err
		}
		return c.print(records, func(w io.Writer) {
			row(w, "ID", "TIME", "CLIENT", "PROJECT", "REQUEST", "STATUS", "MADE")
			for _, r := range records {
				row(w, r.ID, r.TimeStamp.UTC().Format(time.RFC3339), r.Client, r.ProjectID, fmt.Sprintf("%s %s", r.Method, r.Path),
					r.Status, r.Resource)
			}
		})
	}
	return cmd
}
