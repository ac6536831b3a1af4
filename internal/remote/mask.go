package remote

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// masked stands for a secret in what people read.
const masked = "***"

// newMasker replaces the values, also base64- or URL-encoded. Of a value with several lines, such as a
// private key, every line is masked, because output comes line by line.
func newMasker(values []string) *strings.Replacer {
	var forms []string
	for _, value := range values {
		forms = append(forms, value, url.QueryEscape(value), url.PathEscape(value),
			base64.StdEncoding.EncodeToString([]byte(value)),
			base64.RawStdEncoding.EncodeToString([]byte(value)),
			base64.StdEncoding.EncodeToString([]byte(value+"\n")))
		for line := range strings.Lines(value) {
			// Shorter ones are braces and the like, which would star out half of any output.
			if line = strings.TrimSpace(line); len(line) >= 8 {
				forms = append(forms, line)
			}
		}
	}
	// The longest first: the rest of a value must not stay when another value is a part of it.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range slices.Compact(forms) {
		if form != "" {
			pairs = append(pairs, form, masked)
		}
	}
	return strings.NewReplacer(pairs...)
}
