package requests

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// deepest bounds how deep objects and lists may be nested. Requests of the standard nest about ten levels. Code that
// patches or copies a document holds each level once more.
const deepest = 64

// unfit returns the first value of a document that could not be read again once it is stored, or nil: a number that
// does not fit 64 bits, or more levels than deepest. Its path begins below the document.
func unfit(v any, levels int) *lcm.Problem {
	if levels < 0 {
		return &lcm.Problem{Detail: fmt.Sprintf("is nested too deeply: a request may have %d levels", deepest)}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if p := unfit(v[key], levels-1); p != nil {
				return &lcm.Problem{Path: lcm.MemberPath("", key) + p.Path, Detail: p.Detail}
			}
		}
	case []any:
		for i, item := range v {
			if p := unfit(item, levels-1); p != nil {
				return &lcm.Problem{Path: "[" + strconv.Itoa(i) + "]" + p.Path, Detail: p.Detail}
			}
		}
	case json.Number:
		if n, err := v.Float64(); err != nil || math.IsInf(n, 0) {
			return &lcm.Problem{Detail: fmt.Sprintf("must be a number of 64 bits, not %.40s", v)}
		}
	}
	return nil
}
