package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// referencePage is the page that lists all commands; go tool task docs:generate updates it.
const referencePage = "../../docs/reference/commands.md"

func TestReference_hasEveryCommand(t *testing.T) {
	for _, name := range []string{
		"WINDLASS_API", "WINDLASS_AUTH", "WINDLASS_TOKEN", "WINDLASS_TOKEN_FILE", "WINDLASS_OAUTH2_TOKEN_URL",
		"WINDLASS_CA_CERT", "WINDLASS_CLIENT_CERT", "WINDLASS_CLIENT_KEY", "OS_CACERT", "XDG_STATE_HOME",
	} {
		t.Setenv(name, "") // they are defaults of flags
	}
	t.Setenv("HOME", "~")
	root := newRoot(&console{})
	var page strings.Builder
	page.WriteString(`# Commands

Every command of ` + "`windlass`" + `, as ` + "`--help`" + ` has it. This page is generated from the commands
(` + "`go tool task docs:generate`" + `). [The client](client.md) says how the API is found, and who you are to it.

`)
	var groups strings.Builder
	for _, cmd := range root.Commands() {
		if !cmd.IsAvailableCommand() || cmd.Name() == "completion" || cmd.Name() == "help" {
			continue
		}
		fmt.Fprintf(&page, "* [%s](#%s): %s\n", cmd.CommandPath(), strings.ReplaceAll(cmd.CommandPath(), " ", "-"), cmd.Short)
		describeCommand(&groups, cmd)
	}
	page.WriteString(groups.String())
	if *update {
		require.NoError(t, os.WriteFile(referencePage, []byte(page.String()), 0o644)) //nolint:gosec // for everybody
	}
	kept, err := os.ReadFile(referencePage)
	require.NoError(t, err)
	require.True(t, page.String() == string(kept), "%s is not what the commands are. Run: go tool task docs:generate",
		referencePage)
}

// describeCommand describes a command and its subcommands.
func describeCommand(w *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(w, "\n## %s\n\n", cmd.CommandPath())
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(w, "```text\n%s\n\n%s\n```\n", cmd.UseLine(), strings.TrimSpace(text))
	if cmd.Example != "" {
		fmt.Fprintf(w, "\n```sh\n%s\n```\n", strings.TrimRight(strings.ReplaceAll("\n"+cmd.Example, "\n  ", "\n"), "\n")[1:])
	}
	describeFlags(w, cmd)
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			describeCommand(w, sub)
		}
	}
}

func describeFlags(w *strings.Builder, cmd *cobra.Command) {
	var rows strings.Builder
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += fmt.Sprintf(" (default `%s`)", f.DefValue)
		}
		fmt.Fprintf(&rows, "| `%s` | %s |\n", strings.TrimSpace(name+" "+value), strings.ReplaceAll(usage, "|", `\|`))
	})
	if rows.Len() > 0 {
		fmt.Fprintf(w, "\n| Flag | Meaning |\n|---|---|\n%s", rows.String())
	}
}
