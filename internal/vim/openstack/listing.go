package openstack

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/pagination"

	"github.com/windlass-nfv/windlass/internal/outbound"
)

// listed reads all pages of a list within the budget for the answers to one question: gophercloud itself follows a cloud
// from page to page without an end. doing is for the error's sentence, as in translate.
func listed[T any](
	ctx context.Context, doing string, pages pagination.Pager, extract func(pagination.Page) ([]T, error),
) ([]T, error) {
	all, err := pages.AllPages(outbound.NewBudget(outbound.MaxListing, outbound.MaxPages).In(ctx))
	if err != nil {
		return nil, translate(doing, err)
	}
	list, err := extract(all)
	return list, translate(doing, err)
}
