package extensions

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	defaultAuditRecords = 100
	mostAuditRecords    = 1000
)

type auditView struct {
	ID        int64         `json:"id"`
	TimeStamp time.Time     `json:"timeStamp"`
	Client    string        `json:"client"`
	ProjectID lcm.ProjectID `json:"projectId"`
	Method    string        `json:"method"`
	Path      string        `json:"path"`
	Resource  string        `json:"resource,omitempty"`
	Status    int           `json:"status"`
	RequestID string        `json:"requestId"`
	Remote    string        `json:"remote"`
}

// listAudit answers GET /windlass/v1/audit?before=ID&limit=N, the newest first.
func (h *Handler) listAudit(c echo.Context) error {
	before, limit := int64(0), defaultAuditRecords
	var err1, err2 error
	if v := c.QueryParam("before"); v != "" {
		before, err1 = strconv.ParseInt(v, 10, 64)
	}
	if v := c.QueryParam("limit"); v != "" {
		limit, err2 = strconv.Atoi(v)
	}
	if err1 != nil || err2 != nil || limit < 1 || before < 0 {
		return lcm.Errorf(lcm.KindInvalid, "before must be the number of an audit record, limit a number from 1 to %d.",
			mostAuditRecords)
	}
	records, err := h.Store.AuditRecords(c.Request().Context(), before, min(limit, mostAuditRecords))
	if err != nil {
		return err
	}
	views := make([]auditView, 0, len(records))
	for _, r := range records {
		views = append(views, auditView{
			ID: r.ID, TimeStamp: r.At.UTC(), Client: r.Client, ProjectID: r.ProjectID, Method: r.Method, Path: r.Path,
			Resource: r.Resource, Status: r.Status, RequestID: r.RequestID, Remote: r.Remote,
		})
	}
	return rest.WriteJSON(c, http.StatusOK, views)
}
