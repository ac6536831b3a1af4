package remote

import (
	"bytes"
	"fmt"
	"strings"
)

// The limits on a command's kept output. A line goes to a log in a database, so its length is bounded.
const (
	maxLine   = 16 << 10 // of a line that is passed on
	readLine  = 1 << 20  // of a line before masking: a secret must not straddle the cut
	maxOutput = 64 << 10
	maxStdout = 1 << 20
)

// output splits a command's output into masked lines. It keeps their tail, and the script's sentence.
type output struct {
	emit   func(string)
	mask   *strings.Replacer
	lines  lines
	offset int64 // bytes received from this start
	// received counts the bytes of all starts.
	received int64
	raw      tail // equals stdout if nothing came on stderr
	shown    tail
	last     string
	reason   string // the script's own sentence
}

func newOutput(cmd Command) *output {
	o := &output{emit: cmd.Output, mask: newMasker(cmd.Mask)}
	o.raw.limit, o.shown.limit = maxStdout, maxOutput
	o.lines = lines{limit: readLine, each: o.line}
	return o
}

func (o *output) write(p []byte) {
	o.offset += int64(len(p))
	o.received += int64(len(p))
	o.raw.write(p)
	o.lines.write(p)
}

// restart prepares for a second run of a command, with its output from the beginning.
func (o *output) restart(why string) {
	o.lines.end()
	o.offset, o.raw.content, o.reason = 0, nil, ""
	o.show(why)
}

func (o *output) line(line []byte) {
	text := o.mask.Replace(clean(line))
	if o.lines.dropped || len(text) > maxLine {
		text = strings.ToValidUTF8(text[:min(maxLine, len(text))], "")
		text += fmt.Sprintf(" ... [the line is longer than %d bytes]", maxLine)
	}
	o.show(text)
}

func (o *output) show(text string) {
	if strings.TrimSpace(text) != "" {
		o.last = text
	}
	if sentence, ok := strings.CutPrefix(text, sentencePrefix); ok {
		o.reason = sentence
	}
	o.shown.write([]byte(text + "\n"))
	if o.emit != nil {
		o.emit(text)
	}
}

// clean makes valid text of a program's output: databases refuse NUL and broken UTF-8.
func clean(line []byte) string {
	text := strings.ToValidUTF8(string(bytes.TrimRight(line, "\r")), "\uFFFD")
	return strings.ReplaceAll(text, "\x00", "\uFFFD")
}

// tail keeps the last limit bytes.
type tail struct {
	limit   int
	content []byte
}

func (t *tail) write(p []byte) {
	if len(p) >= t.limit {
		t.content = append(t.content[:0], p[len(p)-t.limit:]...)
		return
	}
	// Content moves only when the slack is used up, and not for every line.
	if len(t.content)+len(p) > 2*t.limit {
		t.content = append(t.content[:0], t.content[len(t.content)-t.limit:]...)
	}
	t.content = append(t.content, p...)
}

func (t *tail) String() string {
	return strings.ToValidUTF8(string(t.content[max(0, len(t.content)-t.limit):]), "\uFFFD")
}
