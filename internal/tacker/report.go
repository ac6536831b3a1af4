package tacker

import (
	"cmp"
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Verdict says whether Windlass would take over an object of Tacker's.
type Verdict string

// The verdicts, from good to bad.
const (
	// Carries means that it works at Windlass as it is.
	Carries Verdict = "CARRIES_OVER"
	// Changes means that it works after the changes that the reasons name.
	Changes Verdict = "NEEDS_WORK"
	// Stays means that Windlass cannot take it over.
	Stays Verdict = "STAYS_BEHIND"
)

var order = []Verdict{Carries, Changes, Stays}

// The kinds of things in Tacker.
const (
	KindPackage      = "package"
	KindVIM          = "VIM"
	KindVNF          = "VNF"
	KindOperation    = "operation"
	KindSubscription = "subscription"
)

// Finding is one object in Tacker, with its verdict.
type Finding struct {
	Kind    string   `json:"kind"`
	ID      string   `json:"id"`
	Name    string   `json:"name,omitempty"`
	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons,omitempty"`
}

// because makes a verdict worse, never better, and says why.
func (f *Finding) because(v Verdict, reason string) {
	if slices.Index(order, v) > slices.Index(order, f.Verdict) {
		f.Verdict = v
	}
	f.Reasons = append(f.Reasons, reason)
}

// Report lists the objects in a Tacker.
type Report struct {
	Tacker   string          `json:"tacker"`
	Findings []Finding       `json:"findings"`
	Counts   map[Verdict]int `json:"counts"`
	// Notes are about Tacker as a whole, such as a missing API.
	Notes []string `json:"notes,omitempty"`
}

func (r *Report) add(findings ...Finding) {
	for _, f := range findings {
		f.Verdict = cmp.Or(f.Verdict, Carries)
		r.Counts[f.Verdict]++
		r.Findings = append(r.Findings, f)
	}
}

// Check reads all of a Tacker.
func (c *Client) Check(ctx context.Context) (*Report, error) {
	r := &Report{Tacker: c.Base, Findings: []Finding{}, Counts: map[Verdict]int{Carries: 0, Changes: 0, Stays: 0}}
	there := 0
	for _, part := range []struct {
		path string
		read func(ctx context.Context, path string) ([]Finding, error)
	}{
		{packagesPath, c.packages},
		{vimsPath, c.vims},
		{lifecycles[0], c.lifecycle},
		{lifecycles[1], c.lifecycle},
	} {
		findings, err := part.read(ctx, part.path)
		if lcm.Is(err, lcm.KindNotFound) {
			r.Notes = append(r.Notes, "This Tacker has no "+part.path+".")
			continue
		}
		if err != nil {
			return nil, err
		}
		there++
		r.add(findings...)
	}
	if there == 0 {
		return nil, lcm.Errorf(lcm.KindInvalid, "Nothing at %s answers as Tacker does. Give the root of its API, such "+
			"as http://controller:9890 (openstack catalog show nfv-orchestration shows it).", c.Base)
	}
	return r, nil
}
