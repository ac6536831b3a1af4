package kubernetes

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/internal/outbound"
)

// objectsAtOnce is the size of a page when all objects of a kind are looked at: an answer may have 16 MiB at most.
const objectsAtOnce = 100

// eachPage calls list for each page, until list returns no token for the next one. All pages together have the budget of
// one list.
func eachPage(
	ctx context.Context, page metav1.ListOptions, list func(context.Context, metav1.ListOptions) (next string, err error),
) error {
	ctx = outbound.NewBudget(outbound.MaxListing, outbound.MaxPages).In(ctx)
	for {
		next, err := list(ctx, page)
		if err != nil || next == "" {
			return err
		}
		page.Continue = next
	}
}
