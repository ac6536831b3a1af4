package reach

import (
	"context"
	"fmt"
	"strings"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// tellEvery is the number of attempts per output line, as long as the reason stays the same.
const tellEvery = 10

// Waiting writes to a step's output why a node is not ready yet.
type Waiting struct {
	Node    lcm.Node
	Show    func(line string)
	attempt int
	said    string
}

// Tell counts a failed attempt, and returns the reason as a clause.
func (w *Waiting) Tell(ctx context.Context, err error) (why string) {
	w.attempt++
	why, _, _ = strings.Cut(strings.TrimPrefix(lcm.Sentence(err), w.Node.Name+": "), ";")
	why = strings.TrimSuffix(why, ".")
	if ctx.Err() == nil && (why != w.said || w.attempt%tellEvery == 0) {
		w.Show(fmt.Sprintf("%s (attempt %d)", why, w.attempt))
		w.said = why
	}
	return why
}

// Refused is the error of a login that fails for good: a retry would use the same credentials.
func Refused(err error) error {
	e := activities.Classify(err)
	e.Detail = strings.TrimSuffix(e.Detail, ".") + ". If they are wrong in the request, roll back and correct the " +
		"request; if they are wrong on the node, mend the node and retry"
	e.OtherRequest = true
	return e
}
