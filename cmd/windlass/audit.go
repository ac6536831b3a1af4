package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

const auditPath = "/windlass/v1/audit"

// auditRecord is the record of a request that changed something or tried to.
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
	var f listFlags
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show changes, with the client of each",
		Long: `Show the requests that changed something, or tried to, the newest first. You see the requests of
your project; an administrator sees all. --json also shows the address of the client, and the id of the request in
the log.`,
		Example: "  windlass audit --limit 20\n  windlass audit --before 812",
		Args:    exactly(),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "`number` of records, at most 1000")
	cmd.Flags().Int64Var(&before, "before", 0, "only those before the record of that `id`")
	f.addListFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		if before != 0 {
			query.Set("before", strconv.FormatInt(before, 10))
		}
		return showList(cmd, c, f, auditTable(), func(ctx context.Context) (records []json.RawMessage, err error) {
			_, err = c.client.send(ctx, http.MethodGet, auditPath+"?"+query.Encode(), nil, &records)
			return records, err
		})
	}
	return cmd
}

func auditTable() table[auditRecord] {
	return table[auditRecord]{
		kind: "audit", id: func(r auditRecord) string { return strconv.FormatInt(r.ID, 10) }, columns: []column[auditRecord]{
			{name: "ID", of: func(r auditRecord) any { return r.ID }},
			{name: "TIME", of: func(r auditRecord) any { return r.TimeStamp.UTC().Format(time.RFC3339) }},
			{name: "CLIENT", of: func(r auditRecord) any { return r.Client }},
			{name: "PROJECT", of: func(r auditRecord) any { return r.ProjectID }},
			{name: "REQUEST", of: func(r auditRecord) any { return r.Method + " " + r.Path }},
			{name: "STATUS", of: func(r auditRecord) any { return r.Status }},
			{name: "MADE", of: func(r auditRecord) any { return r.Resource }},
			{name: "FROM", of: func(r auditRecord) any { return r.Remote }, wide: true},
			{name: "REQUEST ID", of: func(r auditRecord) any { return r.RequestID }, wide: true},
		},
	}
}
