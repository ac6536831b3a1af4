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

var update = flag.Bool("update", false, "write the page of settings")

// referencePage is the page that lists all settings; go tool task docs:generate updates it.
const referencePage = "../../docs/reference/configuration.md"

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
		usage := strings.ReplaceAll(strings.ReplaceAll(s.usage, "`", ""), "|", `\|`)
		fmt.Fprintf(&page, "| `%s` | `%s` | `--%s` | %s | %s |\n", s.key, s.env(), s.flag(), fallback, cmp.Or(usage, "-"))
	}
	if *update {
		require.NoError(t, os.WriteFile(referencePage, []byte(page.String()), 0o644)) //nolint:gosec // for everybody
	}
	kept, err := os.ReadFile(referencePage)
	require.NoError(t, err)
	require.True(t, page.String() == string(kept), "%s is not what the settings are. Run: go tool task docs:generate",
		referencePage)
}
