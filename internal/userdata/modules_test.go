package userdata

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestModules_areThoseOfThePage compares the modules that scripts may import with the list of the page about scripts.
func TestModules_areThoseOfThePage(t *testing.T) {
	var have []string
	require.NoError(t, fs.WalkDir(python, "python/lib", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		name := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(file, "python/lib/"), ".py"), "/", ".")
		if err == nil && info.Size() > 0 && !strings.HasPrefix(name, "windlass_") {
			have = append(have, name)
		}
		return err
	}))
	have = append(have, "yaml") // windlass_yaml stands for it
	page, err := os.ReadFile("../../docs/how-to/scripts.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(page), "\n### Modules\n")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n### ")
	var told []string
	for _, item := range regexp.MustCompile("(?m)^\\* `([a-z0-9_.]+)`").FindAllStringSubmatch(list, -1) {
		told = append(told, item[1])
	}
	slices.Sort(have)
	slices.Sort(told)
	require.Equal(t, have, told)
}

// TestModules_thatWindlassLacksAreNamed checks both kinds of Python: scripts at hooks, and user data classes.
func TestModules_thatWindlassLacksAreNamed(t *testing.T) {
	runner := newRunner(t)
	for text, want := range map[string]string{
		"from tacker.common import config\n":       "Windlass has no module tacker.common.config: it has only those modules",
		"import tacker.vnfm.plugin\n":              "Windlass has no module tacker.vnfm.plugin: ",
		"from oslo_nothing import cfg\n":           "Windlass has no module oslo_nothing: ",
		"import nobodys\n":                         "No module named 'nobodys'",
		"import yaml\nyaml.safe_load('{}')\n1/0\n": "division by zero",
	} {
		_, _, err := run(t, &Scripts{Runner: runner}, text)
		require.ErrorContains(t, err, want, text)
		_, err = runner.Run(t.Context(), Call{Files: map[string][]byte{"UserData/own.py": []byte(text)}, Path: "UserData/own.py", Class: "Own"})
		require.ErrorContains(t, err, want, text)
	}
}
