package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// figure is a measured value. Baseline and Ratio are null if there is nothing to compare with.
type figure struct {
	Name     string   `json:"name"`
	Value    float64  `json:"value"`
	Unit     string   `json:"unit"`
	Baseline *float64 `json:"baseline"`
	Ratio    *float64 `json:"ratio"`

	target string
}

func (b *bench) add(name string, value float64, unit, target string) {
	b.figures = append(b.figures, figure{Name: name, Value: round(value), Unit: unit, target: target})
}

func (b *bench) compare(name string, value, baseline float64, unit, target string) {
	f := figure{Name: name, Value: round(value), Unit: unit, Baseline: new(round(baseline)), target: target}
	if baseline != 0 {
		f.Ratio = new(round(value / baseline))
	}
	b.figures = append(b.figures, f)
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }

// print writes the table, and every figure as one line of JSON.
func (b *bench) print(out io.Writer) {
	if len(b.figures) > 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "\nFIGURE\tVALUE\tUNIT\tBASELINE\tRATIO\tTARGET")
		for _, f := range b.figures {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Name, number(&f.Value), f.Unit, number(f.Baseline), number(f.Ratio),
				f.target)
		}
		_ = w.Flush() // to a terminal or a file; an error could be reported to nobody
	}
	for _, note := range b.notes {
		fmt.Fprintln(out, note)
	}
	fmt.Fprintln(out)
	for _, f := range b.figures {
		line, err := json.Marshal(f)
		if err == nil {
			fmt.Fprintln(out, string(line))
		}
	}
}

func number(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// median returns the p50 of durations, in seconds.
func median(all []time.Duration) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	middle := sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		middle = (middle + sorted[len(sorted)/2-1]) / 2
	}
	return middle.Seconds()
}
