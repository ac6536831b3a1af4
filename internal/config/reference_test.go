package config

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the page of settings, and the example file")

// Files with all settings; go tool task docs:generate updates them.
const (
	referencePage = "../../docs/reference/configuration.md"
	exampleFile   = "windlass.example.yaml"
)

func TestReference_hasEverySetting(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Configuration

Every setting of the servers, in the order of ` + "`--help`" + `. This page is generated from the settings
(` + "`go tool task docs:generate`" + `). The [operations guide](../operations.md#configuration) says which spelling counts before
which, and more of each.

| In the file | Environment | Flag | Default | Meaning |
|---|---|---|---|---|
`)
	for _, s := range settings {
		fallback := "none"
		if s.fallback != "" {
			fallback = "`" + s.fallback + "`"
		}
		usage := strings.ReplaceAll(plain(s.usage()), "|", `\|`)
		fmt.Fprintf(&page, "| `%s` | `%s` | `--%s` | %s | %s |\n", s.key, s.env(), s.flag(), fallback, usage)
	}
	requireGenerated(t, referencePage, page.String())
}

func TestReference_isTheExampleFileToo(t *testing.T) {
	var file strings.Builder
	file.WriteString(`# Settings of Windlass.
#
# Every setting can also be given in the environment, as WINDLASS_ and its name in
# capitals with underscores (WINDLASS_WORKER_METRICS), and most as a flag (--worker-metrics); a flag wins
# over the environment, and that over this file. What stands here are the defaults. A line with # and no blank
# is an example of a setting without a default.
#
# This file is generated from the settings (go tool task docs:generate).
`)
	var above []string // the sections that the last setting is in
	for _, s := range settings {
		path := strings.Split(s.key, ".")
		sections, name := path[:len(path)-1], path[len(path)-1]
		if len(path) == 1 || len(above) == 0 || sections[0] != above[0] {
			file.WriteString("\n")
		}
		for depth, section := range sections {
			if depth >= len(above) || section != above[depth] {
				fmt.Fprintf(&file, "%s%s:\n", strings.Repeat("  ", depth), section)
				above = nil // what follows is in new sections
			}
		}
		above = sections
		indent := strings.Repeat("  ", len(sections))
		for _, line := range wrap(plain(s.usage()), 110-len(indent)) {
			fmt.Fprintf(&file, "%s# %s\n", indent, line)
		}
		if s.fallback == "" && !s.required {
			indent += "#"
		}
		fmt.Fprintf(&file, "%s%s: %s\n", indent, name, cmp.Or(s.fallback, s.example))
	}
	requireGenerated(t, exampleFile, file.String())
}

func requireGenerated(t *testing.T, file, content string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o644)) //nolint:gosec // for everybody
	}
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, content == string(kept), "%s is not what the settings are. Run: go tool task docs:generate", file)
}

// plain is a usage text for readers of a page: without the backquotes that mark the name of the value.
func plain(usage string) string { return strings.ReplaceAll(usage, "`", "") }

// wrap breaks a text into lines.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
