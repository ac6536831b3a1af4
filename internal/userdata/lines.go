package userdata

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
)

// longestLine is the number of bytes that are kept of a script's line.
const longestLine = 4096

// lineWriter passes on whole lines, without control characters.
type lineWriter struct {
	to func(line string)

	mu   sync.Mutex
	rest []byte
}

// Write implements io.Writer.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		at := bytes.IndexByte(w.rest, '\n')
		if at < 0 && len(w.rest) < longestLine {
			return len(p), nil
		}
		if at < 0 {
			at = longestLine - 1
		}
		w.tell(w.rest[:at])
		w.rest = append([]byte(nil), w.rest[at+1:]...)
	}
}

// end passes on the rest.
func (w *lineWriter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell(w.rest)
	w.rest = nil
}

func (w *lineWriter) tell(line []byte) {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(line), "?"))
	if clean = strings.TrimRight(clean, " "); clean != "" {
		w.to(clean)
	}
}
