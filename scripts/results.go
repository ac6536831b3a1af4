package scripts

import (
	"encoding/base64"
	"strings"
)

// ResultPrefix begins the lines in which a script says what it found out; they are no news to people.
const ResultPrefix = "windlass-result: "

// Results is what a script found out. A key may come more than once.
type Results map[string][]string

// ParseResults reads the result lines out of a script's stdout; every other line is passed over.
func ParseResults(stdout string) Results {
	results := Results{}
	for line := range strings.Lines(stdout) {
		rest, found := strings.CutPrefix(strings.TrimRight(line, "\r\n"), ResultPrefix)
		if !found {
			continue
		}
		if key, value, ok := strings.Cut(rest, "="); ok && key != "" {
			results[key] = append(results[key], value)
		}
	}
	return results
}

// Get returns the last value of key, "" when there is none.
func (r Results) Get(key string) string {
	if values := r[key]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// Texts returns the values of key, which the script printed in base64; what is not base64 is passed over.
func (r Results) Texts(key string) []string {
	var out []string
	for _, value := range r[key] {
		if text, err := base64.StdEncoding.DecodeString(value); err == nil {
			out = append(out, string(text))
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
