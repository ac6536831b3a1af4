package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/windlass-nfv/windlass/internal/params"
)

// refuseUnknown makes a command group refuse an unknown subcommand. cobra would print the help, and a script would take
// that for success.
func refuseUnknown(group *cobra.Command) {
	if !group.HasSubCommands() || group.Runnable() {
		return
	}
	examples := make([]string, 0, len(group.Commands()))
	for _, sub := range group.Commands() {
		first, _, _ := strings.Cut(sub.Example, "\n")
		examples = append(examples, first)
	}
	group.Example = strings.Join(examples, "\n")
	group.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return usageErrorf(cmd, "%s", unknownCommand(cmd, args[0]))
	}
	group.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func unknownCommand(group *cobra.Command, word string) string {
	var names []string
	for _, sub := range group.Commands() {
		names = append(names, sub.Name())
	}
	text := fmt.Sprintf("%q is no command of '%s'.", word, group.CommandPath())
	if meant := params.Meant(word, names); meant != "" {
		text += fmt.Sprintf(" Did you mean '%s %s'?", group.CommandPath(), meant)
	}
	return text
}
