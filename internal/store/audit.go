package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// RecordAudit stores an audit record. The database sets ID and At.
func (s *Store) RecordAudit(ctx context.Context, r lcm.AuditRecord) error {
	_, err := s.pool.Exec(ctx, `
		insert into audit (client, project_id, method, path, resource, status, request_id, remote)
		values (@client, @project, @method, @path, @resource, @status, @request, @remote)`,
		pgx.NamedArgs{
			"client": text(r.Client), "project": text(string(r.ProjectID)), "method": text(r.Method), "path": text(r.Path),
			"resource": text(r.Resource),
			"status":   r.Status, "request": text(r.RequestID), "remote": text(r.Remote),
		})
	return interpret("keep the audit record", err)
}

// AuditRecords reads at most limit records before the given one, the newest first. 0 begins with the newest.
func (s *Store) AuditRecords(ctx context.Context, before int64, limit int) ([]lcm.AuditRecord, error) {
	w := (&where{args: pgx.NamedArgs{"limit": limit, "before": before}}).limit(ctx)
	w.add("@before::bigint = 0 or id < @before::bigint")
	return all(ctx, s.pool, scanAudit, `
		select id, at, client, project_id, method, path, resource, status, request_id, remote
		from audit`+w.String()+` order by id desc limit @limit`, w.args)
}

// mostOfOperation bounds the requests about one operation: somebody may repeat a decision again and again.
const mostOfOperation = 100

// AuditOfOperation reads the records of the request that began an operation and of the decisions about it, the oldest
// first.
func (s *Store) AuditOfOperation(ctx context.Context, id lcm.OpOccID) ([]lcm.AuditRecord, error) {
	var made, asked []string
	for _, version := range []string{"v1", "v2"} {
		path := "/vnflcm/" + version + "/vnf_lcm_op_occs/" + string(id)
		made = append(made, path)
		for _, a := range []lcm.Action{lcm.Retry, lcm.Rollback, lcm.Fail, lcm.Cancel} {
			asked = append(asked, path+"/"+string(a))
		}
	}
	w := (&where{args: pgx.NamedArgs{"made": made, "asked": asked, "limit": mostOfOperation}}).limit(ctx)
	w.add("resource = any(@made::text[]) or path = any(@asked::text[])")
	return all(ctx, s.pool, scanAudit, `
		select id, at, client, project_id, method, path, resource, status, request_id, remote
		from audit`+w.String()+` order by id limit @limit`, w.args)
}

func scanAudit(row pgx.CollectableRow) (r lcm.AuditRecord, err error) {
	err = row.Scan(&r.ID, &r.At, &r.Client, &r.ProjectID, &r.Method, &r.Path, &r.Resource, &r.Status, &r.RequestID,
		&r.Remote)
	return r, err
}

// ForgetAudit deletes the records older than olderThan.
func (s *Store) ForgetAudit(ctx context.Context, olderThan time.Duration) error {
	_, err := s.pool.Exec(ctx, `delete from audit where at < clock_timestamp() - @age::interval`,
		pgx.NamedArgs{"age": olderThan})
	return interpret("forget old audit records", err)
}
