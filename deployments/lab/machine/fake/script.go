package fake

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

// Handler acts out a script. It must return soon after ctx ends.
type Handler func(ctx context.Context, m *Machine, p ScriptParams) Result

// Result is how a script ends.
type Result struct{ ExitCode int }

// ScriptParams are a script's parameters, and the handler's way to its output.
type ScriptParams struct {
	Script string
	Values map[string]string
	Stdin  []byte

	run  *run
	work func(ctx context.Context) bool
}

// Get returns the parameter of that name.
func (p ScriptParams) Get(name string) string { return p.Values[name] }

// Input returns an input of a package script: stdin has a line name=base64 for each.
func (p ScriptParams) Input(name string) string {
	for line := range strings.Lines(string(p.Stdin)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			content, _ := base64.StdEncoding.DecodeString(value)
			return string(content)
		}
	}
	return ""
}

// lacks acts out the scripts' need_input: it returns a failure when one of the inputs is missing, else nil.
func (p ScriptParams) lacks(inputs ...string) *Result {
	for _, name := range inputs {
		if p.Input(name) == "" {
			r := p.Fail(65, "the input %s is missing", name)
			return &r
		}
	}
	return nil
}

// needing returns h for a script that begins with need_input.
func needing(h Handler, inputs ...string) Handler {
	return func(ctx context.Context, m *Machine, p ScriptParams) Result {
		if failed := p.lacks(inputs...); failed != nil {
			return *failed
		}
		return h(ctx, m, p)
	}
}

// working returns h for a script that takes its time before it prints anything.
func working(h Handler) Handler {
	return func(ctx context.Context, m *Machine, p ScriptParams) Result {
		if !p.Work(ctx) {
			return interrupted
		}
		return h(ctx, m, p)
	}
}

// Work waits for the script's simulated time; false means that the script was stopped.
func (p ScriptParams) Work(ctx context.Context) bool { return p.work(ctx) }

// Print writes a line to stdout.
func (p ScriptParams) Print(format string, args ...any) {
	p.run.write(fmt.Appendf(nil, format+"\n", args...), true)
}

// Warn writes a line to stderr.
func (p ScriptParams) Warn(format string, args ...any) {
	p.run.write(fmt.Appendf(nil, format+"\n", args...), false)
}

// Write writes bytes to stdout.
func (p ScriptParams) Write(content []byte) { p.run.write(content, true) }

// Result prints a result line of package scripts.
func (p ScriptParams) Result(key, value string) { p.Print("windlass-result: %s=%s", key, value) }

// Fail prints a sentence for the operator and ends with that exit code.
func (p ScriptParams) Fail(code int, format string, args ...any) Result {
	p.Print("windlass: "+format, args...)
	return Result{ExitCode: code}
}

// nameLine is the second line of every script of Windlass.
const nameLine = "# windlass: "

// parseScript reads a script's name and the NAME='value' lines that follow it.
func parseScript(text string) (name string, values map[string]string) {
	values = map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name == "" {
			name = strings.TrimPrefix(line, nameLine)
			if name == line {
				name = ""
			}
			continue
		}
		words, ok := runner.Words(line)
		if !ok || len(words) != 1 {
			return name, values
		}
		key, value, ok := strings.Cut(words[0], "=")
		if !ok || strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return name, values
		}
		values[key] = value
	}
	return name, values
}

// perform executes a script on this machine.
func (m *Machine) perform(ctx context.Context, script string, stdin []byte, r *run) Result {
	name, values := parseScript(script)
	d := m.hypervisor
	d.mu.Lock()
	handler, work := d.handlers[name], d.work
	d.mu.Unlock()
	p := ScriptParams{Script: name, Values: values, Stdin: stdin, run: r}
	p.work = func(ctx context.Context) bool {
		if work != nil && !sleep(ctx, work(name)) {
			return false
		}
		m.ice.wait(ctx)
		return ctx.Err() == nil
	}
	if handler == nil {
		return p.Fail(127, "this fake machine does not know the script %q", name)
	}
	m.console.print(m.Name() + " windlass: " + name)
	if fault := d.fault(m, name); fault != nil {
		return fault.strike(ctx, p)
	}
	return handler(ctx, m, p)
}
