package activities

import (
	"context"
	"fmt"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tellEvery is how many attempts are told by one line, as long as the reason stays the same.
const tellEvery = 10

// waiting tells in the output of a step why a node is not there yet.
type waiting struct {
	node    lcm.Node
	show    func(line string)
	attempt int
	said    string
}

// tell counts an attempt that was in vain, and returns why: a clause.
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

// refused is a login that stays refused: a retry would log in with the same.
func refused(err error) error {
	e := classify(err)
	e.Detail = strings.TrimSuffix(e.Detail, ".") + ". Where the request has them wrong, roll back and correct the request; " +
		"where the node has, mend it and retry"
	return e
}
