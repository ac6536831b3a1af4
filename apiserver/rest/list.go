package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// markerParam is the query parameter of SOL013 clause 5.4.2.3 that names the next page.
const markerParam = "nextpage_opaque_marker"

// Listing is a list resource: where its rows come from and how they are shown.
type Listing[T any] struct {
	Rules ListRules
	// Page reads rows ordered by id. It may return some that do not meet the filter.
	Page func(context.Context, store.Page) ([]T, error)
	View func(T) (any, error)
	ID   func(T) string
}

// ServeList answers GET of a list, with filter, attribute selectors and pages (SOL013 clauses 5.2 to 5.4).
func ServeList[T any](c echo.Context, b *Backend, l Listing[T]) error {
	params, err := queryOf(c)
	if err != nil {
		return err
	}
	q, err := parseQuery(params, l.Rules)
	if err != nil {
		return err
	}
	path := c.Request().URL.Path
	after := ""
	if q.marker != "" {
		if after, err = b.Vault.OpenMarker(path, q.marker); err != nil {
			return lcm.InvalidAll("The query has mistakes", []lcm.Problem{{Path: markerParam, Detail: notOurMarker}})
		}
	}
	limit := b.PageSize
	if q.whole {
		limit = 0
	}
	items, last, err := l.collect(c.Request().Context(), q, after, limit)
	if err != nil {
		return err
	}
	if last != "" {
		marker, err := b.Vault.SealMarker(path, last)
		if err != nil {
			return err
		}
		c.Response().Header().Set("Link", "<"+b.Base+path+"?"+nextQuery(params, marker)+`>; rel="next"`)
	}
	return writeItems(c, items)
}

// writeItems answers with a list of items that are JSON already.
func writeItems(c echo.Context, items []json.RawMessage) error {
	size := len("[]")
	for _, item := range items {
		size += len(item) + len(",")
	}
	b := append(make([]byte, 0, size), '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}
	return c.Blob(http.StatusOK, MimeJSON, append(b, ']'))
}

// nextQuery keeps the other parameters of the client's query.
func nextQuery(params url.Values, marker string) string {
	params.Set(markerParam, marker)
	return params.Encode()
}

// mostRows is how many rows are read at once when the answer is not bounded.
const mostRows = 1000

// collect reads rows until limit of them meet the filter; 0 means all rows. last is the id of the last row if there are
// more, else "".
func (l Listing[T]) collect(
	ctx context.Context, q listQuery, after string, limit int,
) (items []json.RawMessage, last string, err error) {
	items = []json.RawMessage{}
	batch := mostRows
	if limit > 0 {
		batch = limit + 1 // the extra row tells whether there is another page
	}
	omit, seen := q.unseen()
	for {
		rows, err := l.Page(ctx, store.Page{Filter: q.filter, After: after, Limit: batch, Omit: omit, Seen: seen})
		if err != nil {
			return nil, "", err
		}
		for _, row := range rows {
			item, ok, err := l.show(q, row)
			switch {
			case err != nil:
				return nil, "", err
			case ok && limit > 0 && len(items) == limit:
				return items, last, nil
			case ok:
				items, last = append(items, item), l.ID(row)
			}
		}
		if len(rows) < batch {
			return items, "", nil
		}
		after = l.ID(rows[len(rows)-1])
	}
}

// show makes an item of a row; ok is false when the row does not meet the filter.
func (l Listing[T]) show(q listQuery, row T) (item json.RawMessage, ok bool, err error) {
	view, err := l.View(row)
	if err != nil {
		return nil, false, err
	}
	if ok, err := q.met(view); err != nil || !ok {
		return nil, false, err
	}
	b, err := q.item(view)
	return withoutSecrets(b), err == nil, err
}
