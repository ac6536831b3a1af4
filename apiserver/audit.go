package apiserver

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// resourceKey is where a handler leaves the path of what it has made when it answers without a Location.
	resourceKey = "resource"
	// auditPatience is how long an answer may be late for its record.
	auditPatience = 5 * time.Second
	// forgetAuditEvery is the pace at which old records go.
	forgetAuditEvery = time.Hour

	defaultAuditRecords = 100
	mostAuditRecords    = 1000
)

// audit keeps who did what, of every request that changes something or was to. It is outside of logAccess, which writes
// the answers to errors: only then the status is known.
func (s *Server) audit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		ctx := c.Request().Context()
		who, known := auth.From(ctx)
		status := c.Response().Status
		// Strangers and floods are in the access log; what is no resource or no method of one changes nothing.
		if !known || !audited(c) || status == http.StatusMethodNotAllowed || status == http.StatusTooManyRequests {
			return err
		}
		s.recordAudit(ctx, lcm.AuditRecord{
			Client: who.Client, ProjectID: lcm.ScopeOf(ctx).Project, Method: c.Request().Method,
			Path:     clip(c.Request().URL.Path, 512),
			Resource: s.madeBy(c), Status: status, RequestID: requestID(c), Remote: c.RealIP(),
		})
		return err
	}
}

// audited tells whether a request may change something, or shows what is of all projects.
func audited(c echo.Context) bool {
	need, open := needOf(c.Request().Method, c.Path())
	return c.Path() != "" && !open && need.Access != auth.Read && c.Request().Method != http.MethodGet
}

// madeBy is the path of what the request has made, "" for nothing.
func (s *Server) madeBy(c echo.Context) string {
	if path, ok := c.Get(resourceKey).(string); ok {
		return path
	}
	if status := c.Response().Status; status != http.StatusCreated && status != http.StatusAccepted {
		return ""
	}
	return strings.TrimPrefix(c.Response().Header().Get("Location"), s.base)
}

// recordAudit writes the record to the database, and to the log: who can change the one need not be able to change the
// other.
func (s *Server) recordAudit(ctx context.Context, r lcm.AuditRecord) {
	s.log.InfoContext(ctx, "Audit", "client", r.Client, "project", r.ProjectID, "method", r.Method, "path", r.Path,
		"resource", r.Resource,
		"status", r.Status, "requestId", r.RequestID, "remote", r.Remote)
	// The client may have gone; what it did has happened all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	if err := s.Store.RecordAudit(ctx, r); err != nil {
		s.log.ErrorContext(ctx, "Audit record not kept; it is in this log only", "requestId", r.RequestID, "error", err)
	}
}

// forgetAudit deletes old records until ctx ends.
func (s *Server) forgetAudit(ctx context.Context) error {
	tick := time.NewTicker(forgetAuditEvery)
	defer tick.Stop()
	for {
		if err := s.Store.ForgetAudit(ctx, s.AuditKeepFor); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "Old audit records not deleted; they are tried again in an hour", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

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
func (s *Server) listAudit(c echo.Context) error {
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
	records, err := s.Store.AuditRecords(c.Request().Context(), before, min(limit, mostAuditRecords))
	if err != nil {
		return err
	}
	views := make([]auditView, 0, len(records))
	for _, r := range records {
		views = append(views, auditView{
			ID: r.ID, TimeStamp: r.At.UTC(), Client: r.Client, ProjectID: r.ProjectID, Method: r.Method, Path: r.Path,
			Resource: r.Resource,
			Status:   r.Status, RequestID: r.RequestID, Remote: r.Remote,
		})
	}
	return writeJSON(c, http.StatusOK, views)
}
