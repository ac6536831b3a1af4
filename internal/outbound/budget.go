package outbound

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Sizes of a list, whose answers come in pages.
const (
	// MaxListing is enough bytes for 10,000 servers.
	MaxListing = 64 << 20
	// MaxPages is enough pages if each has ten members.
	MaxPages = 1000
)

// Budget bounds the answers to one question together: the pages of a list, or the groups of a discovery. Otherwise a
// server that sends one answer after the other would fill the memory.
type Budget struct {
	bytes, answers int64
	read, begun    atomic.Int64
}

// NewBudget bounds the answers to that many bytes and, unless answers is 0, to that number.
func NewBudget(bytes, answers int64) *Budget { return &Budget{bytes: bytes, answers: answers} }

type budgetKey struct{}

// In returns a context whose answers count if a transport of Limit reads them. What exceeds the budget is an Invalid
// error.
func (b *Budget) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, budgetKey{}, b)
}

// Read returns how many bytes were read so far.
func (b *Budget) Read() int64 { return b.read.Load() }

// budgetOf returns nil if a request has none.
func budgetOf(req *http.Request) *Budget {
	b, _ := req.Context().Value(budgetKey{}).(*Budget)
	return b
}

// begin counts an answer.
func (b *Budget) begin(who string) error {
	if b == nil || b.answers == 0 || b.begun.Add(1) <= b.answers {
		return nil
	}
	return lcm.Errorf(lcm.KindInvalid, "%s's list has more than %d pages.", who, b.answers)
}

// counted counts what is read of an answer's body.
func (b *Budget) counted(body io.ReadCloser, who string) io.ReadCloser {
	if b == nil {
		return body
	}
	return &countedBody{ReadCloser: body, budget: b, who: who}
}

type countedBody struct {
	io.ReadCloser
	budget *Budget
	who    string
}

// Read implements io.Reader.
func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.budget.read.Add(int64(n)) > c.budget.bytes {
		return 0, lcm.Errorf(lcm.KindInvalid, "%s's answers to one question are together larger than the limit of %d MiB.",
			c.who, c.budget.bytes>>20)
	}
	return n, err
}
