package scripts

import (
	"encoding/base64"
	"strings"
)

// ResultPrefix begins the lines with a script's results; people do not see these lines.
const ResultPrefix = "windlass-result: "

// Results are the results of a script. A key may come more than once.
type Results struct {
	values map[string][]string
	hide   func(string) string // nil: nothing is secret
}

// ParseResults reads the result lines from a script's stdout and ignores every other line.
func ParseResults(stdout string) Results {
	results := Results{values: map[string][]string{}}
	for line := range strings.Lines(stdout) {
		rest, found := strings.CutPrefix(strings.TrimRight(line, "\r\n"), ResultPrefix)
		if !found {
			continue
		}
		if key, value, ok := strings.Cut(rest, "="); ok && key != "" {
			results.values[key] = append(results.values[key], value)
		}
	}
	return results
}

// Hiding returns the results with a mask for texts. hide masks a text after decoding: base64 with a masked part could
// not be decoded.
func (r Results) Hiding(hide func(string) string) Results {
	r.hide = hide
	return r
}

func (r Results) shown(text string) string {
	if r.hide == nil {
		return text
	}
	return r.hide(text)
}

// All returns the values of key, in their order.
func (r Results) All(key string) []string {
	var out []string
	for _, value := range r.values[key] {
		out = append(out, r.shown(value))
	}
	return out
}

// Get returns the last value of key, "" when there is none.
func (r Results) Get(key string) string {
	if values := r.All(key); len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// Texts returns the decoded values of key, which the script printed in base64. It ignores a value that is not base64.
func (r Results) Texts(key string) []string {
	var out []string
	for _, value := range r.values[key] {
		if text, err := base64.StdEncoding.DecodeString(value); err == nil {
			out = append(out, r.shown(string(text)))
		}
	}
	return out
}

// Text returns the last of Texts, "" when there is none.
func (r Results) Text(key string) string {
	if texts := r.Texts(key); len(texts) > 0 {
		return texts[len(texts)-1]
	}
	return ""
}
