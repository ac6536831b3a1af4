package remote

import "bytes"

// lines cuts a stream into lines. A line longer than limit is cut off there; the rest of it is dropped.
type lines struct {
	limit   int
	each    func(line []byte)
	partial []byte
	dropped bool
}

func (l *lines) write(p []byte) {
	for len(p) > 0 {
		chunk, rest, whole := bytes.Cut(p, []byte{'\n'})
		room := l.limit - len(l.partial)
		if len(chunk) > room {
			chunk, l.dropped = chunk[:room], true
		}
		l.partial = append(l.partial, chunk...)
		if whole {
			l.emit()
		}
		p = rest
	}
}

// end emits a last line that has no newline.
func (l *lines) end() {
	if len(l.partial) > 0 {
		l.emit()
	}
}

func (l *lines) emit() {
	line := l.partial
	l.partial = nil
	l.each(line)
	l.dropped = false
}
