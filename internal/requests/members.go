package requests

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// paramsIn are the additionalParams as the client wrote them, with all digits of their numbers; nil without any.
func paramsIn(body params.Noted) json.RawMessage {
	if doc := body.Member("additionalParams"); !params.Absent(doc) {
		return doc
	}
	return nil
}

// isNothing tells whether a member is missing, null or an empty list.
func isNothing(doc json.RawMessage) bool {
	return params.Absent(doc) || strings.Trim(string(doc), " \t\r\n[]") == ""
}

// inOrder are the entries of a map in the order of their keys.
func inOrder[T any](m map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// notNull are members that must not be null in a merge patch, where it would remove them.
func notNull(body params.Noted, members ...string) (problems []lcm.Problem) {
	for _, member := range members {
		if body.Nulls(member) {
			problems = append(problems, lcm.Problem{Path: lcm.MemberPath("$", member), Detail: "must not be null"})
		}
	}
	return problems
}

// patchText is a string of a merge patch.
func patchText(body params.Noted, member, value string) lcm.PatchText {
	return lcm.PatchText{Given: body.Has(member), Value: value}
}

// patchMap is an object of a merge patch.
func patchMap(body params.Noted, member string, value map[string]any) lcm.PatchMap {
	return lcm.PatchMap{Given: body.Has(member), Members: value}
}
