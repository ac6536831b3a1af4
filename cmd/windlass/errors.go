package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The exit codes beside 0 and 1, for scripts.
const (
	exitUsage   = 2 // the command line is wrong
	exitWaiting = 3 // the operation is in FAILED_TEMP and waits for a decision
	exitPIN     = 4 // a token refused its PIN: a service manager must not start the server again
)

// codedError is an error with its own exit code.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

func usageErrorf(cmd *cobra.Command, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &codedError{exitUsage, fmt.Errorf("%s See '%s --help'", text, cmd.CommandPath())}
}

// exitCode prints err for a person and returns the exit code.
func exitCode(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(w, "windlass: "+describe(err))
	if coded, ok := errors.AsType[*codedError](err); ok {
		return coded.code
	}
	if strings.HasPrefix(err.Error(), "unknown command ") { // cobra's own error has no type
		return exitUsage
	}
	return 1
}

// describe is the sentence of err, with every problem on a separate line.
func describe(err error) string {
	detail, problems := sentence(err.Error()), []lcm.Problem(nil)
	if e, ok := errors.AsType[*apiError](err); ok {
		detail, problems = e.summary(), e.Problems
	} else if e, ok := errors.AsType[*lcm.Error](err); ok {
		if detail, problems = e.Detail, e.Problems; e.Err != nil {
			detail = strings.TrimSuffix(e.Detail, ".") + ": " + e.Err.Error()
		}
	}
	var b strings.Builder
	b.WriteString(detail)
	for _, p := range problems {
		fmt.Fprintf(&b, "\n  %s: %s", p.Path, p.Detail)
	}
	if e, ok := errors.AsType[*apiError](err); ok && e.Type != "" {
		b.WriteString("\nRead what such errors mean: " + e.Type)
	}
	return b.String()
}

// sentence gives the text a capital and, unless it has several lines, a full stop.
func sentence(text string) string {
	if text == "" {
		return text
	}
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(strings.TrimRight(first, ".,:;"), "./\\") {
		text = strings.ToUpper(text[:1]) + text[1:] // a file's name is left as it is
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?'") && !strings.Contains(text, "\n") {
		text += "."
	}
	return text
}

// goInternals is the beginning of Go's own errors; it means nothing to users.
var goInternals = regexp.MustCompile(`strconv\.\w+: parsing "[^"]*": `)

// flagMistake tells in words what is wrong with a flag.
func flagMistake(err error) string {
	text := goInternals.ReplaceAllString(err.Error(), "")
	if strings.Contains(err.Error(), "strconv.ParseBool") {
		text = strings.ReplaceAll(text, "invalid syntax", "give true or false")
	}
	return strings.NewReplacer("invalid syntax", "that is no number", "value out of range", "that is too large",
		`time: invalid duration`, "this is no time like 5m:", `time: missing unit in duration`, "this has no unit, as 5m has:",
	).Replace(text)
}

// exactly requires the arguments of cmd with those names, and reports a missing one by its name.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usageErrorf(cmd, "%s is missing.", strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return usageErrorf(cmd, "%q is one argument too many.", args[len(names)])
		}
		return nil
	}
}

// atLeastOne takes any number of arguments but none.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageErrorf(cmd, "%s is missing.", name)
		}
		return nil
	}
}
