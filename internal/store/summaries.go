package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Rows selects rows of a summary, in the summary's order: at most Limit rows after the first Offset.
type Rows struct{ Limit, Offset int }

// InstanceFilter selects VNF instances; an empty member selects all.
type InstanceFilter struct {
	// Search is a part of the instance's name or of the product's name, or the beginning of the id. Case does not matter.
	Search string
	State  lcm.InstantiationState
	// Attention selects instances with drift, or with an operation that waits for a decision or is slow.
	Attention bool
	// Vim is the id of a VIM that the instance is connected to, Product is the name of its product.
	Vim     lcm.VimID
	Product string
	// Metadata are members that the instance's metadata has, with these texts.
	Metadata map[string]string
	// Sort orders the list, by name if it is empty. Instances that are equal in it are ordered by name and id.
	Sort       InstanceSort
	Descending bool
}

// InstanceSort is what a list of instances is ordered by.
type InstanceSort string

// The orders of a list of instances. The order by the last operation begins with instances that never had one.
const (
	SortByName          InstanceSort = "name"
	SortByProduct       InstanceSort = "product"
	SortByState         InstanceSort = "state"
	SortByLastOperation InstanceSort = "lastOperation"
	SortByDrift         InstanceSort = "drift"
)

// InstanceSorts are all orders.
var InstanceSorts = []InstanceSort{SortByName, SortByProduct, SortByState, SortByLastOperation, SortByDrift}

// order is the key of the order in SQL, of a row of vnf_instance, and its direction.
func (f InstanceFilter) order() (key, direction string) {
	switch f.Sort {
	case SortByProduct:
		key = "product_name"
	case SortByState:
		key = "instantiation_state"
	case SortByLastOperation:
		key = `(
			select coalesce(max(start_time), '-infinity') from vnf_lcm_op_occ where vnf_instance_id = vnf_instance.id)`
	case SortByDrift:
		key = `(
			select coalesce(max(jsonb_array_length(nullif(report -> 'findings', 'null'))), 0) from vnf_drift
			where vnf_instance_id = vnf_instance.id)`
	default:
		key = "name"
	}
	if f.Descending {
		direction = " desc"
	}
	return key, direction
}

// OperationFilter selects operations; an empty member selects all.
type OperationFilter struct {
	Instance lcm.VnfInstanceID
	// Search is a part of the instance's name, or the beginning of the id of the operation or the instance.
	Search string
	State  lcm.OperationState
	// Open selects operations that have not ended.
	Open bool
	// Sort orders the list; if it is empty, the newest operation comes first. Operations that are equal in it are ordered
	// so, too.
	Sort       OperationSort
	Descending bool
}

// OperationSort is what a list of operations is ordered by.
type OperationSort string

// The orders of a list of operations.
const (
	SortByStart     OperationSort = "startTime"
	SortByOperation OperationSort = "operation"
	SortByOpState   OperationSort = "operationState"
	SortByInstance  OperationSort = "vnfInstanceName"
)

// OperationSorts are all orders.
var OperationSorts = []OperationSort{SortByStart, SortByOperation, SortByOpState, SortByInstance}

// order is the key of the order in SQL, of a row of vnf_lcm_op_occ, and its direction.
func (f OperationFilter) order() (key, direction string) {
	switch f.Sort {
	case SortByOperation:
		key = "operation"
	case SortByOpState:
		key = "state"
	case SortByInstance:
		key = "(select coalesce(max(name), '') from vnf_instance where id = vnf_instance_id)"
	case SortByStart:
		key = "start_time"
	default:
		return "start_time", " desc"
	}
	if f.Descending {
		direction = " desc"
	}
	return key, direction
}

// stepOfO joins the step under way of the operation o as s, or else the step that began last: in FAILED_TEMP this is
// the failed step. The rows of the steps say it, because an operation records its own row only at a change of its state. If
// activities of the step are tried again, s tells of the one with the most attempts.
const stepOfO = `
		left join lateral (
			select title, coalesce(retry, (
				select part.retry from op_step part
				where part.op_occ_id = o.id and part.step_index = whole.step_index and part.phase = whole.phase
					and part.retry is not null
				order by (part.retry ->> 'attempt')::integer desc, part.node limit 1)) as retry
			from op_step whole
			where op_occ_id = o.id and node = '' and started is not null
			order by state = 'RUNNING' desc, started desc, phase,
				case phase when 'COMPENSATION' then -step_index else step_index end desc
			limit 1) s on true
		left join slow_operation slow on slow.id = o.id`

// slowOfO tells how slow the operation o is; null if it is not.
const slowOfO = `case when slow.id is not null then jsonb_build_object('since', slow.since, 'usual', slow.usual) end`

// InstanceSummaries reads VNF instances in the order of the filter, each with its last operation and its last check for
// drift. It also returns their total number.
func (s *Store) InstanceSummaries(
	ctx context.Context, f InstanceFilter, rows Rows,
) (found []lcm.InstanceSummary, total int, err error) {
	w, q := (&where{args: pgx.NamedArgs{}}).limit(ctx), s.forList(f.Search != "")
	if f.Search != "" {
		part, begin := w.arg("%"+likeText(f.Search)+"%"), w.arg(likeText(f.Search)+"%")
		w.add("(name ilike " + part + " or product_name ilike " + part + " or id like lower(" + begin + "))")
	}
	if f.State != "" {
		w.add("instantiation_state = " + w.arg(f.State))
	}
	if f.Attention {
		w.add(`(exists (select from vnf_lcm_op_occ o where o.vnf_instance_id = vnf_instance.id and o.state = 'FAILED_TEMP')
			or exists (select from slow_operation slow where slow.vnf_instance_id = vnf_instance.id)
			or exists (select from vnf_drift d where d.vnf_instance_id = vnf_instance.id
				and jsonb_array_length(nullif(d.report -> 'findings', 'null')) > 0))`)
	}
	if f.Vim != "" {
		w.add("vim_connections @> jsonb_build_array(jsonb_build_object('vimId', " + w.arg(f.Vim) + "::text))")
	}
	if f.Product != "" {
		w.add("product_name = " + w.arg(f.Product))
	}
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		w.add("metadata ->> " + w.arg(text(key)) + "::text = " + w.arg(text(f.Metadata[key])) + "::text")
	}
	if total, err = count(ctx, q, "vnf_instance", w); err != nil {
		return nil, 0, err
	}
	w.args["limit"], w.args["offset"] = rows.Limit, rows.Offset
	key, direction := f.order()
	found, err = all(ctx, q, scanInstanceSummary, `
		select i.id, i.project_id, i.name, i.vnfd_id, i.provider, i.product_name, i.software_version, i.vnfd_version,
			i.instantiation_state, coalesce(i.instantiated_brief ->> 'vnfState', ''), i.created,
			coalesce(o.id, ''), coalesce(o.operation, ''), coalesce(o.state, ''), o.start_time, o.state_entered_time,
			coalesce(s.title, ''), s.retry, `+slowOfO+`, (d.report ->> 'checkedAt')::timestamptz,
			coalesce(jsonb_array_length(nullif(d.report -> 'findings', 'null')), 0)
		from (
			select *, `+key+` as sort_key from vnf_instance`+w.String()+`
			order by `+key+direction+`, name, id limit @limit offset @offset) i
		left join lateral (
			select id, operation, state, start_time, state_entered_time from vnf_lcm_op_occ
			where vnf_instance_id = i.id order by start_time desc, id desc limit 1) o on true`+stepOfO+`
		left join vnf_drift d on d.vnf_instance_id = i.id
		order by i.sort_key`+direction+`, i.name, i.id`, w.args)
	return found, total, err
}

func scanInstanceSummary(row pgx.CollectableRow) (i lcm.InstanceSummary, err error) {
	o := &i.Last
	err = row.Scan(&i.ID, &i.ProjectID, &i.Name, &i.VnfdID, &i.Provider, &i.ProductName, &i.SoftwareVersion, &i.VnfdVersion,
		&i.InstantiationState, &i.VnfState, &i.Created, &o.ID, &o.Operation, &o.State, &o.StartTime, &o.StateEnteredTime,
		&o.Step, &o.Retry, &o.Slow, &i.DriftCheckedAt, &i.DriftFindings)
	return i, err
}

// OperationSummaries reads operations in the order of the filter, and their total number.
func (s *Store) OperationSummaries(
	ctx context.Context, f OperationFilter, rows Rows,
) (found []lcm.OperationSummary, total int, err error) {
	w, q := (&where{args: pgx.NamedArgs{}}).limit(ctx), s.forList(f.Search != "")
	if f.Instance != "" {
		w.add("vnf_instance_id = " + w.arg(f.Instance))
	}
	if f.State != "" {
		w.add("state = " + w.arg(f.State))
	}
	if f.Open {
		w.add("state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK')")
	}
	if f.Search != "" {
		part, begin := w.arg("%"+likeText(f.Search)+"%"), w.arg(likeText(f.Search)+"%")
		w.add("(id like lower(" + begin + ") or vnf_instance_id like lower(" + begin + `) or vnf_instance_id in (
			select id from vnf_instance where name ilike ` + part + "))")
	}
	if total, err = count(ctx, q, "vnf_lcm_op_occ", w); err != nil {
		return nil, 0, err
	}
	w.args["limit"], w.args["offset"] = rows.Limit, rows.Offset
	key, direction := f.order()
	found, err = all(ctx, q, scanOperationSummary, `
		select o.id, o.project_id, o.vnf_instance_id, coalesce(i.name, ''), o.operation, o.state, o.start_time,
			o.state_entered_time, coalesce(s.title, ''), s.retry, `+slowOfO+`, o.is_automatic_invocation, o.is_cancel_pending, o.error
		from (
			select *, `+key+` as sort_key from vnf_lcm_op_occ`+w.String()+`
			order by `+key+direction+`, start_time desc, id desc limit @limit offset @offset) o
		left join vnf_instance i on i.id = o.vnf_instance_id`+stepOfO+`
		order by o.sort_key`+direction+`, o.start_time desc, o.id desc`, w.args)
	return found, total, err
}

func scanOperationSummary(row pgx.CollectableRow) (o lcm.OperationSummary, err error) {
	start, entered := &o.StartTime, &o.StateEnteredTime
	err = row.Scan(&o.ID, &o.ProjectID, &o.VnfInstanceID, &o.VnfInstanceName, &o.Operation, &o.State, start, entered, &o.Step,
		&o.Retry, &o.Slow, &o.IsAutomaticInvocation, &o.IsCancelPending, &o.Error)
	return o, err
}

func count(ctx context.Context, q querier, table string, w *where) (n int, err error) {
	err = q.QueryRow(ctx, "select count(*) from "+table+w.String(), pgx.QueryExecModeCacheDescribe, w.args).Scan(&n)
	return n, interpret("count the rows of a list", err)
}

// likeText turns a text into a LIKE pattern that matches the text itself.
func likeText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text(s))
}
