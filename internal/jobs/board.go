package jobs

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// state of a job.
type state int

const (
	waiting state = iota
	running
	done
)

// width is the longest line, in characters.
const width = 118

// board knows how far every job is, and writes the lines.
type board struct {
	out   io.Writer
	list  []*Job
	clock func() time.Time

	began    time.Time
	lastLine time.Time
	state    map[*Job]state
	since    map[*Job]time.Time
	err      error

	mu    sync.Mutex // of notes, which jobs write while they run
	notes map[*Job]string
}

func newBoard(out io.Writer, list []*Job, clock func() time.Time) *board {
	now := clock()
	return &board{
		out: out, list: list, clock: clock, began: now, lastLine: now,
		state: map[*Job]state{}, since: map[*Job]time.Time{}, notes: map[*Job]string{},
	}
}

func (b *board) begin(j *Job) { b.state[j], b.since[j] = running, b.clock() }

func (b *board) finish(j *Job, err error) {
	if err != nil {
		b.state[j] = waiting
		b.err = cmp.Or(b.err, err) // the first; the others were stopped because of it
		return
	}
	b.state[j] = done
	b.line(fmt.Sprintf("%s: done in %.0f s", j.Title, b.clock().Sub(b.since[j]).Seconds()))
}

// noter returns the Now of a job.
func (b *board) noter(j *Job) Now {
	return func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.notes[j] = fmt.Sprintf(format, args...)
	}
}

// untilNextLine returns how long the board may still be silent.
func (b *board) untilNextLine() time.Duration { return max(0, quiet-b.clock().Sub(b.lastLine)) }

// look writes what runs and what is left.
func (b *board) look() { b.line("now " + join(b.titles(running, true), width/2) + b.left()) }

// left names the jobs that have not begun.
func (b *board) left() string {
	titles := b.titles(waiting, false)
	if len(titles) == 0 {
		return "; nothing else is left"
	}
	return "; then " + join(titles, width/3)
}

// titles of the jobs in a state, those of lanes first: others wait for them.
func (b *board) titles(s state, noted bool) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lanes, others []string
	for _, j := range b.list {
		title := j.Title
		if noted && b.notes[j] != "" {
			title += " (" + b.notes[j] + ")"
		}
		switch {
		case b.state[j] != s:
		case j.Lane != "":
			lanes = append(lanes, title)
		default:
			others = append(others, title)
		}
	}
	return append(lanes, others...)
}

// join writes as many titles as have room, and counts the others.
func join(titles []string, room int) string {
	var b strings.Builder
	for i, t := range titles {
		if i > 0 && b.Len()+len(t) > room {
			return fmt.Sprintf("%s and %d more", b.String(), len(titles)-i)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t)
	}
	return b.String()
}

// line writes a line with the time since the start and the count of jobs.
func (b *board) line(text string) {
	b.lastLine = b.clock()
	took := b.lastLine.Sub(b.began)
	finished := len(b.titles(done, false))
	fmt.Fprintf(b.out, "%2d:%02d  %d of %d  %s\n", int(took.Minutes()), int(took.Seconds())%60, finished, len(b.list), text)
}
