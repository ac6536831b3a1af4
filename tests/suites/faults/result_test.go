package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// failed is the outcome of a cell in which a check has failed.
const failed outcome = "FAILED"

// result is the result of a cell.
type result struct {
	Operation string  `json:"operation"`
	Step      string  `json:"step"`
	Fault     string  `json:"fault"`
	Outcome   outcome `json:"outcome"`
	Seconds   float64 `json:"seconds"`
	// Late is set if the step ended before the test saw it run, also in the slowest attempt.
	Late bool `json:"late,omitempty"`
	// Operated is the path of the operation.
	Operated string `json:"operated,omitempty"`
}

// results are stored in a file after every cell. So a run can end at any time and continue later.
type results struct {
	mu    sync.Mutex
	file  string
	Cells []result `json:"cells"`
}

func readResults(t *testing.T, file string) *results {
	t.Helper()
	r := &results{file: file}
	content, err := os.ReadFile(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) {
		return r
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, r))
	return r
}

func (r *results) passed(c *cell) bool {
	for _, one := range r.Cells {
		if one.Operation == c.operation.name && one.Step == c.step && one.Fault == c.fault.name && one.Outcome != failed {
			return true
		}
	}
	return false
}

// unmet says whether another fault of the same service has shown that the step sends no requests to the service.
func (r *results) unmet(c *cell) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.fault.service != "" && slices.ContainsFunc(r.Cells, func(one result) bool {
		return one.Operation == c.operation.name && one.Step == c.step && one.Outcome == untouched && !one.Late &&
			slices.ContainsFunc(faults, func(f fault) bool { return f.name == one.Fault && f.service == c.fault.service })
	})
}

// add adds a result. It replaces an earlier result of the same cell.
func (r *results) add(t *testing.T, one result) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.Cells[:0]
	for _, old := range r.Cells {
		if old.Operation != one.Operation || old.Step != one.Step || old.Fault != one.Fault {
			kept = append(kept, old)
		}
	}
	r.Cells = append(kept, one)
	t.Logf("%s, in %q, %s: %s after %.1f s", one.Operation, one.Step, one.Fault, one.Outcome, one.Seconds)
	if r.file == "" {
		return
	}
	content, err := json.MarshalIndent(r, "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.file, append(content, '\n'), 0o644))
}

func (r *results) last() result { return r.Cells[len(r.Cells)-1] }

// table counts the cells that were run and their outcomes, for every operation and fault.
func (r *results) table() string {
	var b strings.Builder
	b.WriteString("| |")
	for _, f := range faults {
		b.WriteString(" " + f.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(faults)) + "\n")
	for _, o := range slices.Concat(operations, ofKubespray, ofContainers, ofHybrid) {
		fmt.Fprintf(&b, "| %s |", o.name)
		for _, f := range faults {
			b.WriteString(" " + r.summary(o.name, f.name) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// summary returns "by itself/on retry/rolled back", the number of steps that do not meet the fault, and the failed
// cells in bold.
func (r *results) summary(operation, fault string) string {
	count := map[outcome]int{}
	for _, one := range r.Cells {
		if one.Operation == operation && one.Fault == fault {
			count[one.Outcome]++
		}
	}
	if len(count) == 0 {
		return "not run"
	}
	text := fmt.Sprintf("%d/%d/%d", count[byItself], count[retried], count[rolledBack])
	if count[untouched] > 0 {
		text += fmt.Sprintf(" (%d)", count[untouched])
	}
	if count[failed] > 0 {
		text += fmt.Sprintf(" **%d failed**", count[failed])
	}
	return text
}

// show prints the table, and writes it to the named file, if any.
func (r *results) show(t *testing.T, file string) {
	t.Helper()
	fmt.Println(r.table())
	if file != "" {
		require.NoError(t, os.WriteFile(file, []byte(r.table()), 0o644))
	}
}
