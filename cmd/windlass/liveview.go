package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// liveView redraws the list of steps in place: for terminals.
type liveView struct {
	out   io.Writer
	now   func() time.Time
	size  func() (width, height int)
	last  snapshot
	text  string // of the note
	drawn int    // lines on the terminal that the next drawing replaces
	frame int
	// colourless leaves colours out.
	colourless bool
}

const (
	green, red, yellow, dim, plain = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
	// toStartAndClear follows cursor-up: it clears from the start of the line to the end of the screen.
	toStartAndClear = "\r\x1b[J"
)

var spinner = []string{"⠋", "⠙", "⠸", "⠴", "⠦", "⠇"}

func (v *liveView) show(s snapshot) {
	v.last, v.text = s, ""
	v.draw()
}

func (v *liveView) tick() {
	v.frame++
	v.draw()
}

func (v *liveView) note(text string) {
	v.text = text
	v.draw()
}

// uncoloured is text without the colours, as NO_COLOR in the environment wants it (no-color.org).
func uncoloured(text string) string {
	return strings.NewReplacer(green, "", red, "", yellow, "", dim, "", plain, "").Replace(text)
}

func (v *liveView) draw() {
	width, height := v.size()
	lines := v.lines(width)
	// Lines above the screen cannot be redrawn, so finished steps are dropped first.
	if over := len(lines) - (height - 1); height > 1 && over > 0 {
		lines = slices.Concat(lines[:1], lines[1+over:])
	}
	var b strings.Builder
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", v.drawn)
	}
	b.WriteString(toStartAndClear)
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	v.drawn = len(lines)
	text := b.String()
	if v.colourless {
		text = uncoloured(text)
	}
	_, _ = io.WriteString(v.out, text)
}

func (v *liveView) lines(width int) []string {
	op := v.last.op
	lines := []string{fmt.Sprintf("%s  %s  %s", op.Operation, colour(op.State)+string(op.State)+plain,
		clockText(op.elapsed(v.now())))}
	for _, s := range v.last.steps {
		if s.Node != "" && s.State == lcm.StepDone && !v.active(s) {
			continue // the step's own line says it all
		}
		lines = append(lines, v.stepLine(s, width))
	}
	if v.text != "" {
		lines = append(lines, yellow+cut(v.text, width)+plain)
	}
	return lines
}

// active tells whether the step that s is a node's part of still runs somewhere.
func (v *liveView) active(s step) bool {
	return slices.ContainsFunc(v.last.steps, func(o step) bool {
		return o.Index == s.Index && o.Phase == s.Phase && o.State != lcm.StepDone
	})
}

func (v *liveView) stepLine(s step, width int) string {
	mark, style := "·", dim
	switch s.State {
	case lcm.StepPending:
	case lcm.StepRunning:
		mark, style = spinner[v.frame%len(spinner)], yellow
	case lcm.StepDone:
		mark, style = "✔", green
	case lcm.StepFailed:
		mark, style = "✘", red
		if s.Retry != nil {
			mark, style = spinner[v.frame%len(spinner)], yellow
		}
	case lcm.StepCancelled:
		mark, style = "■", yellow
	}
	name := s.name()
	if s.Node != "" {
		name = "  " + s.Node
	}
	text := fmt.Sprintf("%-*s", min(48, width/2), name)
	if s.Started != nil {
		text += fmt.Sprintf(" %6s", duration(s.elapsed(v.now()))) + s.pace(v.now())
	}
	remark := s.remark()
	switch {
	case s.Retry != nil:
		text += "  attempt " + s.Retry.count()
		remark = s.Retry.said(s.Retry.in(v.now()))
	case s.Attempt > 1:
		text += fmt.Sprintf("  attempt %d", s.Attempt)
	}
	line := style + mark + plain + " " + cut(strings.TrimRight(text, " "), width-2)
	room := width - 4 - utf8.RuneCountInString(text)
	if remark != "" && room > 0 && (s.State == lcm.StepRunning || s.State == lcm.StepFailed) {
		line += dim + "  " + cut(remark, room) + plain
	}
	return line
}

func colour(s lcm.OperationState) string {
	switch s {
	case lcm.Completed:
		return green
	case lcm.FailedTemp, lcm.Failed:
		return red
	default:
		return yellow
	}
}

func clockText(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// cut shortens text to width: a line that wraps would spoil the next drawing. Control characters of a
// node's output go as well.
func cut(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	if width <= 0 {
		return ""
	}
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}
