package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/query"
)

// Page selects a part of a list that is ordered by id. So an insert does not move rows to another page.
type Page struct {
	// Filter selects rows by the attributes of the standard. The result contains every matching row. It may contain
	// others, because SQL does not know every attribute.
	Filter query.Filter
	// After is the last id before the page, "" for the first page.
	After string
	// Limit is the largest number of rows; 0 means no limit.
	Limit int
	// Omit lists attributes of the standard that the caller does not read, except for those in Seen. The query skips
	// large attributes among them, but still reads the data that links need.
	Omit, Seen []string
}

// list is a table of the database that the API lists.
type list[T any] struct {
	table, selects string
	scan           pgx.RowToFunc[T]
	attributes     Attributes
	large          []part
}

// part is a large column: its text in the statement, and a smaller text that is enough for a page whose caller looks at
// no attribute in the column.
type part struct{ column, selected, instead string }

const nothing = " null::jsonb,"

// vnfcNames is the part of the metadata that ids of VNFCs depend on.
const vnfcNames = " case when metadata ? '" + lcm.VduVnfcMapping + "' then jsonb_build_object('" + lcm.VduVnfcMapping +
	"', metadata -> '" + lcm.VduVnfcMapping + "') end,"

var instances = list[lcm.VnfInstance]{"vnf_instance", selectInstance, scanInstance, InstanceAttributes, []part{
	{"metadata", " metadata,", vnfcNames},
	{"extensions", " extensions,", nothing},
	{"configurable_properties", " configurable_properties,", nothing},
	{"vim_connections", " vim_connections,", nothing},
	{"instantiated", " instantiated,", " instantiated_brief,"}, // links depend on the brief form
}}

var operations = list[lcm.VnfLcmOpOcc]{"vnf_lcm_op_occ", listOperations, scanOperation, OperationAttributes, []part{
	{"params", " params,", nothing},
	{"error", " error,", nothing},
	{"resource_changes", "\tresource_changes,", nothing},
	{"plan", " nullif(plan - 'grant' - 'drains' - 'nothingLeft', '{}'),", nothing},
}}

var packages = list[lcm.VnfPkg]{"vnf_pkg", selectPackage, scanPackage, PackageAttributes, nil}

// smaller replaces large columns of a statement.
func smaller(selects string, columns []part) string {
	for _, c := range columns {
		selects = strings.Replace(selects, c.selected, c.instead, 1)
	}
	return selects
}

// unseen are the large columns that have no attribute that the page's caller looks at.
func (l list[T]) unseen(p Page) []part {
	return slices.DeleteFunc(slices.Clone(l.large), func(large part) bool {
		return slices.ContainsFunc(l.attributes, func(row attributeRow) bool {
			return row.column == large.column && p.sees(row.Path)
		})
	})
}

// sees reports whether the page's caller looks at the attribute, into it, or at something around it.
func (p Page) sees(attribute string) bool {
	return !slices.ContainsFunc(p.Omit, func(name string) bool { return within(attribute, name) }) ||
		slices.ContainsFunc(p.Seen, func(path string) bool { return within(path, attribute) || within(attribute, path) })
}

// within reports whether path equals at, or is below it.
func within(path, at string) bool { return path == at || strings.HasPrefix(path, at+"/") }

// forList returns the connections for a list. A filter or a search may be much work, so such lists have a part of their
// own.
func (s *Store) forList(muchWork bool) querier {
	if muchWork {
		return s.lists
	}
	return s.pool
}

// where makes the conditions of a page.
func (l list[T]) where(ctx context.Context, p Page) *where {
	return l.attributes.whereOf(p.Filter).limit(ctx)
}

// page reads one page of the selected rows. It chooses the rows before it reads more than the conditions need, because
// the sort may drop most of them.
func (l list[T]) page(ctx context.Context, q querier, w *where, p Page) ([]T, error) {
	if p.After != "" {
		w.add("id > " + w.arg(p.After))
	}
	rows := "select * from " + l.table + w.String() + " order by id"
	if p.Limit > 0 {
		rows += " limit " + w.arg(p.Limit)
	}
	sql := strings.TrimSuffix(smaller(l.selects, l.unseen(p)), l.table) + "(" + rows + ") as " + l.table + " order by id"
	// Plan the query anew for these values each time. A generic plan is bad for a value that most rows have.
	found, _ := q.Query(ctx, sql, pgx.QueryExecModeCacheDescribe, w.args)
	v, err := pgx.CollectRows(found, l.scan)
	if took, ok := errors.AsType[*pgconn.PgError](err); ok && took.Code == codeTimeout {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The database needed more than %s for this list. Use a filter with "+
			"fewer conditions and values, or ask later.", longestList)
	}
	return v, interpret("read from the database", err)
}

// InstancePage reads a page of the instances, ordered by id.
func (s *Store) InstancePage(ctx context.Context, p Page) ([]lcm.VnfInstance, error) {
	return instances.page(ctx, s.forList(len(p.Filter) > 0), instances.where(ctx, p), p)
}

// OperationPage reads a page of the operations, ordered by id.
func (s *Store) OperationPage(ctx context.Context, p Page) ([]lcm.VnfLcmOpOcc, error) {
	return operations.page(ctx, s.forList(len(p.Filter) > 0), operations.where(ctx, p), p)
}

// OnboardedPage reads a page of the on-boarded packages, ordered by id.
func (s *Store) OnboardedPage(ctx context.Context, p Page) ([]lcm.VnfPkg, error) {
	w := packages.where(ctx, p)
	w.add("onboarding_state = 'ONBOARDED'")
	return packages.page(ctx, s.forList(len(p.Filter) > 0), w, p)
}

// PackagePage reads a page of the packages, ordered by id.
func (s *Store) PackagePage(ctx context.Context, p Page) ([]lcm.VnfPkg, error) {
	return packages.page(ctx, s.forList(len(p.Filter) > 0), packages.where(ctx, p), p)
}
