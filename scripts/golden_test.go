package scripts_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a golden file, and returns the file's content.
func golden(t *testing.T, name, got string) string {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update")
	assert.Equal(t, string(want), got)
	return string(want)
}

// sources are the files in sh, as they occur in scripts. The golden file of a script has only a line for each of them,
// in their order, instead of their text. It shows the result of rendering, and does not repeat sh.
type sources map[string]string

const dialect = "# shellcheck shell=bash\n"

func readSources(t *testing.T) sources {
	t.Helper()
	files, err := filepath.Glob("sh/*.sh")
	require.NoError(t, err)
	all := sources{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		body, ok := strings.CutPrefix(string(text), dialect)
		require.True(t, ok, "the first line of %s must tell shellcheck the dialect", file)
		all[filepath.ToSlash(file)] = strings.Trim(body, "\n")
	}
	require.NotEmpty(t, all)
	return all
}

var sourceLine = regexp.MustCompile(`(?m)^# here follows (\S+)$`)

// folded replaces the sources after the header by lines. All other text stays, also empty lines.
func (s sources) folded(script string) string {
	head, rest, _ := strings.Cut(script, "\n\n")
	out := head + "\n\n"
	for rest != "" {
		file, text := s.first(rest)
		if file == "" {
			return out + rest
		}
		after := strings.TrimPrefix(rest, text)
		rest = strings.TrimLeft(after, "\n")
		out += "# here follows " + file + strings.TrimSuffix(after, rest)
	}
	return out
}

// first returns the source at the beginning of text. If several match, it returns the longest, because a short source
// may be the beginning of another.
func (s sources) first(text string) (file, source string) {
	for name, candidate := range s {
		if strings.HasPrefix(text, candidate+"\n") && len(candidate) > len(source) {
			file, source = name, candidate
		}
	}
	return file, source
}

// whole returns the script that a golden file represents.
func (s sources) whole(t *testing.T, folded string) string {
	t.Helper()
	return sourceLine.ReplaceAllStringFunc(folded, func(line string) string {
		file := sourceLine.FindStringSubmatch(line)[1]
		require.Contains(t, s, file)
		return s[file]
	})
}

func TestScripts_areAsTheirGoldenFiles(t *testing.T) {
	all := readSources(t)
	for _, step := range steps() {
		t.Run(step.Name(), func(t *testing.T) {
			text, err := step.Render()
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(text, "#!/bin/bash\n# windlass: "+step.Name()+"\n"))
			want := golden(t, step.Name()+".sh", all.folded(text))
			assert.Equal(t, all.whole(t, want), text)
		})
	}
}

// TestScripts_areAllSteps checks that every file of sh is used by a step, because otherwise no test would check it, and
// that every golden file belongs to a step.
func TestScripts_areAllSteps(t *testing.T) {
	var names []string
	used := map[string]bool{}
	for _, step := range steps() {
		file := "testdata/" + step.Name() + ".sh"
		names = append(names, file)
		text, err := os.ReadFile(file)
		require.NoError(t, err, "run the tests with -update")
		for _, line := range sourceLine.FindAllStringSubmatch(string(text), -1) {
			used[line[1]] = true
		}
	}
	files, err := filepath.Glob("testdata/*.sh")
	require.NoError(t, err)
	assert.ElementsMatch(t, names, files)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(readSources(t))), slices.Collect(maps.Keys(used)))
}

func TestGoldenFiles_hideNoChangeOfAScript(t *testing.T) {
	all := readSources(t)
	text, err := scripts.PrepareNode{Node: "a", Hosts: []string{"10.0.0.11 a"}, LockFor: 1}.Render()
	require.NoError(t, err)
	require.Equal(t, text, all.whole(t, all.folded(text)))
	require.NotContains(t, all.folded(text), "set -euo pipefail")
	base, apt := all["sh/lib-base.sh"], all["sh/lib-apt.sh"]
	for name, changed := range map[string]string{
		"a parameter":              strings.Replace(text, "LOCK_FOR='1'", "LOCK_FOR='2'", 1),
		"a line of a library":      strings.Replace(text, "umask 022", "umask 000", 1),
		"no library":               strings.Replace(text, apt+"\n\n", "", 1),
		"a library twice":          strings.Replace(text, apt, apt+"\n\n"+apt, 1),
		"the order":                strings.NewReplacer(base, apt, apt, base).Replace(text),
		"a line at the end":        text + "reboot\n",
		"an end without break":     strings.TrimSuffix(text, "\n"),
		"an empty line at the end": text + "\n",
		"one empty line less":      strings.Replace(text, base+"\n\n", base+"\n", 1),
		"one more empty line":      strings.Replace(text, base+"\n", base+"\n\n", 1),
	} {
		assert.NotEqual(t, text, changed, name)
		assert.NotEqual(t, all.folded(text), all.folded(changed), name)
	}
}
