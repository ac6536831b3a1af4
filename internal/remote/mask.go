package remote

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// masked replaces a secret in texts for people.
const masked = "***"

// newMasker replaces the values, also base64- or URL-encoded. In a value with several lines, such as a private key, it
// masks every line, because output comes line by line.
func newMasker(values []string) *strings.Replacer {
	var forms []string
	for _, value := range values {
		forms = append(forms, value, url.QueryEscape(value), url.PathEscape(value),
			base64.StdEncoding.EncodeToString([]byte(value)),
			base64.RawStdEncoding.EncodeToString([]byte(value)),
			base64.StdEncoding.EncodeToString([]byte(value+"\n")))
		for line := range strings.Lines(value) {
			// Shorter lines are braces and the like, and masking them would hide half of any output.
			if line = strings.TrimSpace(line); len(line) >= 8 {
				forms = append(forms, line)
			}
		}
	}
	// The longest first: if one value is a part of another, the rest of the longer value must not stay.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range slices.Compact(forms) {
		if form != "" {
			pairs = append(pairs, form, masked)
		}
	}
	return strings.NewReplacer(pairs...)
}
