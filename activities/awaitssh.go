package activities

import (
	"context"
	"fmt"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tellEvery is the number of attempts per output line, as long as the reason stays the same.
const tellEvery = 10

// waiting writes to a step's output why a node is not ready yet.
type waiting struct {
	node    lcm.Node
	show    func(line string)
	attempt int
	said    string
}

// tell counts a failed attempt, and returns the reason as a clause.
func (w *waiting) tell(ctx context.Context, err error) (why string) {
	w.attempt++
	why, _, _ = strings.Cut(strings.TrimPrefix(lcm.Sentence(err), w.node.Name+": "), ";")
	why = strings.TrimSuffix(why, ".")
	if ctx.Err() == nil && (why != w.said || w.attempt%tellEvery == 0) {
		w.show(fmt.Sprintf("%s (attempt %d)", why, w.attempt))
		w.said = why
	}
	return why
}

// refused is the error of a login that fails for good: a retry would use the same credentials.
func refused(err error) error {
	e := classify(err)
	e.Detail = strings.TrimSuffix(e.Detail, ".") + ". If they are wrong in the request, roll back and correct the " +
		"request; if they are wrong on the node, mend the node and retry"
	e.OtherRequest = true
	return e
}
