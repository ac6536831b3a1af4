package store

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// TraceParent returns the span of the request for the operation, in the form of W3C Trace Context. All work for the
// operation, in any process, belongs to its trace. It is "" when none was stored. It is stored with the operation's
// first event.
func (s *Store) TraceParent(ctx context.Context, id lcm.OpOccID) (parent string, err error) {
	err = s.pool.QueryRow(ctx, `select coalesce(data->>'traceParent', '') from event where op_occ_id = @op order by id limit 1`,
		pgx.NamedArgs{"op": id}).Scan(&parent)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return parent, interpret("read the trace of the operation", err)
}

// begun is the first event of an operation.
type begun struct {
	lcm.OperationEvent
	TraceParent string `json:"traceParent,omitempty"`
}

// stamped adds the id of the current trace to an error, where there is one.
func stamped(ctx context.Context, e *lcm.Error) *lcm.Error {
	e = textError(e)
	if e != nil && e.TraceID == "" {
		e.TraceID = telemetry.TraceID(ctx)
	}
	return e
}

// queryTracer makes a span for each query inside a recorded span. The span names the verb, the table and the result. It
// has neither the text of the query, whose conditions may contain clients' search terms, nor the parameters. pgx's
// error texts quote values, so it has only the SQLSTATE.
type queryTracer struct{}

var (
	_ pgx.QueryTracer = queryTracer{}
	_ pgx.BatchTracer = queryTracer{}
)

// TraceQueryStart implements pgx.QueryTracer.
func (queryTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	return beginSQL(ctx, summaryOf(data.SQL))
}

// TraceQueryEnd implements pgx.QueryTracer.
func (queryTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	endSQL(ctx, data.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (queryTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	summary := "batch"
	if len(data.Batch.QueuedQueries) > 0 {
		summary += " " + summaryOf(data.Batch.QueuedQueries[0].SQL)
	}
	return beginSQL(ctx, summary)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (queryTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (queryTracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	endSQL(ctx, data.Err)
}

// sqlKey marks a context whose span belongs to a query: the end of an untraced query must not end another span.
type sqlKey struct{}

func beginSQL(ctx context.Context, summary string) context.Context {
	ctx, span := telemetry.Begin(ctx, "SQL "+summary, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "postgresql"), attribute.String("db.query.summary", summary)))
	return context.WithValue(ctx, sqlKey{}, span)
}

func endSQL(ctx context.Context, err error) {
	span, ok := ctx.Value(sqlKey{}).(trace.Span)
	if !ok || span == nil {
		return
	}
	if pg, refused := errors.AsType[*pgconn.PgError](err); refused {
		span.SetAttributes(attribute.String("db.response.status_code", pg.Code))
		span.SetStatus(codes.Error, "SQLSTATE "+pg.Code)
	} else if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		span.SetStatus(codes.Error, "no answer")
	}
	span.End()
}

// A query's first verb and its first table. A written table matters more than a table that the query reads before.
var (
	written = regexp.MustCompile(`(?i)\b(insert into|update|delete from)\s+([a-z_]+)`)
	read    = regexp.MustCompile(`(?i)\b(select)\b.*?\bfrom\s+([a-z_]+)`)
)

// summaryOf describes a query without its values: "update vnf_lcm_op_occ".
func summaryOf(sql string) string {
	sql = strings.Join(strings.Fields(sql), " ")
	for _, form := range []*regexp.Regexp{written, read} {
		if m := form.FindStringSubmatch(sql); m != nil {
			return strings.ToLower(strings.Fields(m[1])[0] + " " + m[2])
		}
	}
	verb, _, _ := strings.Cut(sql, " ")
	return strings.ToLower(verb)
}
