package apiserver

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// auditPatience is how long an answer may be late for its record.
	auditPatience = 5 * time.Second
	// forgetAuditEvery is the pace at which old records go.
	forgetAuditEvery = time.Hour
)

// audit records who did what, for every request that changes something or tried to. It wraps logAccess, because
// logAccess writes the answers to errors: only then is the status known.
func (s *Server) audit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		ctx := c.Request().Context()
		who, known := auth.From(ctx)
		status := c.Response().Status
		// Unknown clients and refused floods are in the access log only. A request to an unknown path or with an unknown
		// method changes nothing.
		if !known || !audited(c) || status == http.StatusMethodNotAllowed || status == http.StatusTooManyRequests ||
			opened(c) {
			return err
		}
		s.recordAudit(ctx, lcm.AuditRecord{
			Client: who.Client, ProjectID: lcm.ScopeOf(ctx).Project, Method: c.Request().Method,
			Path:     rest.Clip(c.Request().URL.Path, 512),
			Resource: s.madeBy(c), Status: status, RequestID: rest.RequestID(c), Remote: c.RealIP(),
		})
		return err
	}
}

// audited tells whether a request may change something, or shows data of all projects.
func audited(c echo.Context) bool {
	need, open := needOf(c.Request().Method, c.Path())
	return c.Path() != "" && !open && need.Access != auth.Read && c.Request().Method != http.MethodGet
}

// opened tells whether the request opened payloads for Temporal's Web UI. The Web UI sends many such requests for each
// page. They change nothing, and would bury the records of changes, so only the access log has them. A refusal is
// recorded here, too.
func opened(c echo.Context) bool {
	return strings.HasPrefix(c.Path(), codecPath) && c.Response().Status < http.StatusBadRequest
}

// madeBy is the path of the resource that the request has made, "" for none.
func (s *Server) madeBy(c echo.Context) string {
	if path, ok := rest.NotedMade(c); ok {
		return path
	}
	if status := c.Response().Status; status != http.StatusCreated && status != http.StatusAccepted {
		return ""
	}
	return strings.TrimPrefix(c.Response().Header().Get("Location"), s.base)
}

// recordAudit writes the record to the database and to the log. A person who can change the one may be unable to change
// the other.
func (s *Server) recordAudit(ctx context.Context, r lcm.AuditRecord) {
	s.log.InfoContext(ctx, "Audit", "client", r.Client, "project", r.ProjectID, "method", r.Method, "path", r.Path,
		"resource", r.Resource,
		"status", r.Status, "requestId", r.RequestID, "remote", r.Remote)
	// The client may have gone, but its change has happened all the same.
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
		if err := s.Store.ForgetAudit(ctx, s.Audit.KeepFor); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "Old audit records not deleted; Windlass tries again in an hour", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
