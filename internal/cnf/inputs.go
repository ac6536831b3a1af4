package cnf

import (
	"encoding/json"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// inputs are the request's values for inputs of the VNFD.
type inputs struct {
	given    map[string]any
	problems []lcm.Problem
}

func readInputs(additionalParams json.RawMessage) inputs {
	all, _ := params.Unmarshal(additionalParams) // ReadParams reports a value that is no object
	given, _ := all.(map[string]any)
	return inputs{given: given}
}

// text is the text of a word; the request's value replaces an input.
func (in *inputs) text(w descriptor.Word) string {
	if w.Input == "" {
		return w.Text
	}
	switch v := in.given[w.Input].(type) {
	case nil:
		if w.Required {
			in.tell(w.Input, "is missing: a container of the VNFD needs it")
		}
		return w.Text
	case string:
		return v
	case bool, float64, json.Number:
		text, _ := json.Marshal(v) // these values can always be encoded
		return string(text)
	default:
		in.tell(w.Input, "must be a text, a number or a boolean: a container of the VNFD needs it")
		return w.Text
	}
}

func (in *inputs) tell(name, detail string) {
	p := lcm.Problem{Path: lcm.MemberPath(paramsPath, name), Detail: detail}
	if !slices.Contains(in.problems, p) {
		in.problems = append(in.problems, p)
	}
}

func (in *inputs) list(words []descriptor.Word) (out []string) {
	for _, w := range words {
		out = append(out, in.text(w))
	}
	return out
}

func (in *inputs) texts(words map[string]descriptor.Word) map[string]string {
	out := make(map[string]string, len(words))
	for _, name := range sortedKeys(words) {
		out[name] = in.text(words[name])
	}
	return out
}
