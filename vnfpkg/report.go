package vnfpkg

import (
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// maxProblems bounds the answer to a package that is wrong throughout.
const maxProblems = 100

// report collects errors and warnings, so that an author can fix all of them at once.
type report struct {
	problems []lcm.Problem
	warnings []lcm.Problem
	// undriven are the warnings of hooks that nothing carries out.
	undriven []lcm.Problem
	// dropped counts problems beyond maxProblems.
	dropped int
	seen    map[lcm.Problem]bool
}

func (r *report) problem(place, format string, args ...any) {
	p := lcm.Problem{Path: place, Detail: fmt.Sprintf(format, args...)}
	if !r.first(p) {
		return
	}
	if len(r.problems) == maxProblems {
		r.dropped++
		return
	}
	r.problems = append(r.problems, p)
}

// warn tells whether it keeps the warning.
func (r *report) warn(place, format string, args ...any) bool {
	p := lcm.Problem{Path: place, Detail: fmt.Sprintf(format, args...)}
	if !r.first(p) || len(r.warnings) == maxProblems {
		return false
	}
	r.warnings = append(r.warnings, p)
	return true
}

// first lets Windlass report a problem of a shared definition once, and not once for every flavour.
func (r *report) first(p lcm.Problem) bool {
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

func (r *report) err(detail string) error {
	if r.dropped > 0 {
		detail = fmt.Sprintf("%s (%d further problems are not shown)", detail, r.dropped)
	}
	return lcm.InvalidAll(detail, r.problems)
}

// quoteName quotes and shortens a name from an untrusted package.
func quoteName(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "..."
	}
	return fmt.Sprintf("%q", s)
}
