package secrets

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// shortestMasked exempts values of one or two characters: masking them would shred the output.
const shortestMasked = 3

// Masker replaces secrets in lines of output by "***". The zero Masker replaces nothing.
type Masker struct {
	replacer *strings.Replacer
}

// NewMasker masks the values, each line of values with several lines, and their forms in base64, URLs and JSON. It
// ignores values of less than three characters.
func NewMasker(values ...string) Masker {
	var forms []string
	for _, value := range values {
		forms = append(forms, formsOf(value)...)
		for line := range strings.Lines(value) {
			line = strings.TrimSpace(line)
			// The first and last lines of a PEM block are the same in all.
			if line != strings.TrimSpace(value) && !strings.HasPrefix(line, "-----") {
				forms = append(forms, formsOf(line)...)
			}
		}
	}
	forms = slices.DeleteFunc(forms, func(f string) bool { return len(f) < shortestMasked })
	if len(forms) == 0 {
		return Masker{}
	}
	// At one position the replacer takes the first match: the end of a longer value must not remain.
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, hidden)
	}
	return Masker{replacer: strings.NewReplacer(pairs...)}
}

// Mask returns the line with every known secret replaced.
func (m Masker) Mask(line string) string {
	if m.replacer == nil {
		return line
	}
	return m.replacer.Replace(line)
}

func formsOf(value string) []string {
	if len(value) < shortestMasked {
		return nil
	}
	quoted, _ := json.Marshal(value)
	forms := []string{
		value,
		url.QueryEscape(value),
		url.PathEscape(value),
		url.UserPassword("", value).String()[1:],
		string(quoted[1 : len(quoted)-1]),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(value)), encoding.EncodeToString([]byte(value+"\n")))
		forms = append(forms, withinBase64(encoding, value)...)
	}
	return forms
}

// withinBase64 is the form of a value inside a longer base64 text, such as user:password. There are three forms, one
// for each start position. Characters that the value shares with its neighbours are cut off at both ends.
func withinBase64(encoding *base64.Encoding, value string) []string {
	// The rest of a shorter value is so short that it would match by chance.
	const shortest = 6
	if len(value) < shortest {
		return nil
	}
	var forms []string
	for before := range 3 {
		encoded := encoding.EncodeToString([]byte("\x00\x00"[:before] + value))
		first := (before*8 + 5) / 6
		last := (before + len(value)) * 8 / 6
		forms = append(forms, encoded[first:last])
	}
	return forms
}
