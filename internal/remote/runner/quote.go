package runner

import "strings"

// Quote makes one POSIX shell word of s.
func Quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=,+@%-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Words splits a command line as a POSIX shell does, but handles only quotes and backslashes. ok is false if a quote is
// open at the end.
func Words(line string) (words []string, ok bool) {
	var word strings.Builder
	var in byte // the open quote, 0 when none
	started := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case in == '\'' && c != '\'', in == '"' && c != '"' && c != '\\':
			word.WriteByte(c)
		case c == in && in != 0:
			in = 0
		case c == '\\' && i+1 < len(line):
			i++
			if in == '"' && !strings.ContainsRune("\"\\$`", rune(line[i])) {
				word.WriteByte('\\')
			}
			word.WriteByte(line[i])
			started = true
		case c == '\'' || c == '"':
			in, started = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if started {
				words = append(words, word.String())
				word.Reset()
			}
			started = false
		default:
			word.WriteByte(c)
			started = true
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words, in == 0
}
