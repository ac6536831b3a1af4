package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// column is a column of a list's table.
type column[T any] struct {
	name string
	of   func(T) any
	// wide is set for columns that only -o wide shows, moving for columns that change by the clock alone.
	wide, moving bool
	// key is the sort key, if it differs from the shown value.
	key func(T) any
}

// table describes how to show a list of one kind of resources.
type table[T any] struct {
	kind    string // as -o name has it
	id      func(T) string
	columns []column[T]
	// before reads additional data of the items, just before they are shown.
	before func(ctx context.Context, items []T)
}

// entry is an element of a list: in the API's form, and in the form for tables.
type entry[T any] struct {
	raw  json.RawMessage
	item T
}

// listFlags are the flags of every list.
type listFlags struct {
	sortBy, filter   string
	watch, noHeaders bool
}

func (f *listFlags) addListFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.sortBy, "sort-by", "",
		"`attribute` or column by which to sort, such as age or vnfInstanceName; with a - before it in reverse order")
	cmd.Flags().BoolVar(&f.noHeaders, "no-headers", false, "leave the first line of the table out")
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "continue to show changes until you press Ctrl-C")
}

// addFilterFlags is for lists that the API filters.
func (f *listFlags) addFilterFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.filter, "filter", "",
		"`expression` of SOL013 clause 5.2 that the listed resources meet, such as (cont,vnfInstanceName,edge)")
}

// relistEvery is how often a terminal's list is read again for --watch.
const relistEvery = 2 * time.Second

// showList prints a list, again and again with --watch.
func showList[T any](
	cmd *cobra.Command, c *cli, f listFlags, t table[T], read func(context.Context) ([]json.RawMessage, error),
) error {
	if f.watch && c.structured() {
		return usageErrorf(cmd, "--watch is for tables: leave out -o %s.", c.format)
	}
	entries, err := readEntries[T](cmd.Context(), read)
	if err != nil {
		return err
	}
	if !c.structured() || f.sortBy != "" {
		t.ask(cmd.Context(), entries)
	}
	if err := sortEntries(entries, f.sortBy, t); err != nil {
		return usageErrorf(cmd, "%s", sentence(err.Error()))
	}
	if c.structured() {
		return c.printStructuredList(rawOf(entries), func() []string { return namesOf(entries, t) })
	}
	p := &tablePrinter[T]{c: c, table: t, headers: !f.noHeaders, seen: map[string]string{}}
	p.print(entries)
	if len(entries) == 0 {
		fmt.Fprintln(c.err, "The list is empty.")
	}
	if !f.watch {
		return nil
	}
	tick := time.NewTicker(c.relist)
	defer tick.Stop()
	for {
		select {
		case <-cmd.Context().Done():
			return nil // it ends when somebody ends it
		case <-tick.C:
		}
		entries, err := readEntries[T](cmd.Context(), read)
		switch {
		case err == nil:
			t.ask(cmd.Context(), entries)
			p.print(entries)
		case isAnswer(err):
			return err
		default: // the API server is being restarted, perhaps
			fmt.Fprintln(c.err, describe(err))
		}
	}
}

func readEntries[T any](
	ctx context.Context, read func(context.Context) ([]json.RawMessage, error),
) ([]entry[T], error) {
	raw, err := read(ctx)
	if err != nil {
		return nil, err
	}
	items, err := decodeAll[T](raw)
	entries := make([]entry[T], 0, len(items))
	for i, item := range items {
		entries = append(entries, entry[T]{raw[i], item})
	}
	return entries, err
}

func rawOf[T any](entries []entry[T]) []json.RawMessage {
	raw := make([]json.RawMessage, 0, len(entries))
	for _, e := range entries {
		raw = append(raw, e.raw)
	}
	return raw
}

func namesOf[T any](entries []entry[T], t table[T]) (names []string) {
	for _, e := range entries {
		names = append(names, t.kind+"/"+t.id(e.item))
	}
	return names
}

// ask reads the additional data of the table.
func (t table[T]) ask(ctx context.Context, entries []entry[T]) {
	if t.before == nil {
		return
	}
	items := make([]T, 0, len(entries))
	for _, e := range entries {
		items = append(items, e.item)
	}
	t.before(ctx, items)
}

// tablePrinter prints rows, each once as long as it stays as it is.
type tablePrinter[T any] struct {
	c       *cli
	table   table[T]
	headers bool
	widths  []int
	seen    map[string]string
}

func (p *tablePrinter[T]) print(entries []entry[T]) {
	var rows [][]string
	if p.headers {
		rows, p.headers = append(rows, p.cells(func(col column[T]) any { return col.name })), false
	}
	here := map[string]bool{}
	for _, e := range entries {
		id := p.table.id(e.item)
		state := strings.Join(p.cells(func(col column[T]) any {
			if col.moving {
				return ""
			}
			return col.of(e.item)
		}), "\t")
		if here[id] = true; p.seen[id] == state {
			continue
		}
		p.seen[id] = state
		rows = append(rows, p.cells(func(col column[T]) any { return col.of(e.item) }))
	}
	for id := range p.seen {
		if !here[id] {
			delete(p.seen, id)
			rows = append(rows, []string{id, "is gone"})
		}
	}
	p.write(rows)
}

func (p *tablePrinter[T]) cells(of func(column[T]) any) (cells []string) {
	for _, col := range p.table.columns {
		if col.wide && p.c.format != formatWide {
			continue
		}
		cells = append(cells, cmp.Or(strings.TrimSpace(fmt.Sprint(of(col))), "-"))
	}
	return cells
}

// write keeps columns at the positions of earlier output.
func (p *tablePrinter[T]) write(rows [][]string) {
	for _, cells := range rows {
		for i, cell := range cells {
			if i == len(p.widths) {
				p.widths = append(p.widths, 0)
			}
			p.widths[i] = max(p.widths[i], len([]rune(cell)))
		}
	}
	for _, cells := range rows {
		var b strings.Builder
		for i, cell := range cells {
			if i == len(cells)-1 {
				b.WriteString(cell)
				break
			}
			fmt.Fprintf(&b, "%-*s  ", p.widths[i], cell)
		}
		fmt.Fprintln(p.c.out, b.String())
	}
}

// sortEntries sorts by a column of the table, or by an attribute with its path.
func sortEntries[T any](entries []entry[T], by string, t table[T]) error {
	if by == "" {
		return nil
	}
	by, backwards := strings.CutPrefix(by, "-")
	key, err := sortKey(by, t)
	if err != nil {
		return err
	}
	if len(entries) > 0 && !slices.ContainsFunc(entries, func(e entry[T]) bool { return key(e) != nil }) {
		return fmt.Errorf("--sort-by: nothing in the list has %q. Columns are %s; name an attribute by its path, as -o json "+
			"shows it", by, strings.Join(t.names(), ", "))
	}
	slices.SortStableFunc(entries, func(a, b entry[T]) int {
		order := compareValues(key(a), key(b))
		if backwards {
			return -order
		}
		return order
	})
	return nil
}

// names are the names of the columns, as --sort-by takes them.
func (t table[T]) names() (out []string) {
	for _, col := range t.columns {
		out = append(out, strings.ToLower(strings.ReplaceAll(col.name, " ", "-")))
	}
	return out
}

func sortKey[T any](by string, t table[T]) (func(entry[T]) any, error) {
	for _, col := range t.columns {
		if strings.EqualFold(col.name, strings.ReplaceAll(by, "-", " ")) {
			if col.key != nil {
				return func(e entry[T]) any { return col.key(e.item) }, nil
			}
			return func(e entry[T]) any { return col.of(e.item) }, nil
		}
	}
	path := strings.FieldsFunc(strings.Trim(by, "{}"), func(r rune) bool { return r == '.' || r == '/' })
	if len(path) == 0 {
		return nil, errors.New("--sort-by needs a column or an attribute")
	}
	return func(e entry[T]) any {
		var at any
		_ = json.Unmarshal(e.raw, &at) // it was read before
		for _, name := range path {
			object, _ := at.(map[string]any)
			at = object[name]
		}
		return at
	}, nil
}

// compareValues orders numbers and times by their values, and everything else by its text.
func compareValues(a, b any) int {
	ta, tb := fmt.Sprint(a), fmt.Sprint(b)
	if x, ok := a.(time.Time); ok {
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	}
	x, errX := strconv.ParseFloat(ta, 64)
	y, errY := strconv.ParseFloat(tb, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(ta, tb)
}

// age is how long ago something was, as coarse as people speak of it.
func age(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
