package document

import (
	"errors"
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// maxProblems bounds the answer to a package that is wrong throughout.
const maxProblems = 100

// Report collects errors and warnings, so that an author can fix all of them at once.
type Report struct {
	Problems []lcm.Problem
	Warnings []lcm.Problem
	// undriven are the warnings of hooks that nothing carries out.
	Undriven []lcm.Problem
	// dropped counts problems beyond maxProblems.
	dropped int
	seen    map[lcm.Problem]bool
}

// Problem reports what makes the package unusable.
func (r *Report) Problem(place, format string, args ...any) {
	p := lcm.Problem{Path: place, Detail: fmt.Sprintf(format, args...)}
	if !r.first(p) {
		return
	}
	if len(r.Problems) == maxProblems {
		r.dropped++
		return
	}
	r.Problems = append(r.Problems, p)
}

// Warn tells whether it keeps the warning.
func (r *Report) Warn(place, format string, args ...any) bool {
	p := lcm.Problem{Path: place, Detail: fmt.Sprintf(format, args...)}
	if !r.first(p) || len(r.Warnings) == maxProblems {
		return false
	}
	r.Warnings = append(r.Warnings, p)
	return true
}

// first lets Windlass report a problem of a shared definition once, and not once for every flavour.
func (r *Report) first(p lcm.Problem) bool {
	if r.seen[p] {
		return false
	}
	if r.seen == nil {
		r.seen = map[lcm.Problem]bool{}
	}
	if len(r.seen) < 10*maxProblems {
		r.seen[p] = true
	}
	return true
}

// Err is an error with all problems, nil if there are none.
func (r *Report) Err(detail string) error {
	if r.dropped > 0 {
		detail = fmt.Sprintf("%s (%d further problems are not shown)", detail, r.dropped)
	}
	return lcm.InvalidAll(detail, r.Problems)
}

// Quote quotes and shortens a name from an untrusted package.
func Quote(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "..."
	}
	return fmt.Sprintf("%q", s)
}

// Unreadable reports that a YAML file cannot be used.
func (r *Report) Unreadable(name string, err error) {
	if e, ok := errors.AsType[*yamlError](err); ok && e.line > 0 {
		r.Problem((&Value{File: name, line: e.line}).Place(), "%s", e.detail)
		return
	}
	r.Problem(name, "%s", err.Error())
}
