package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

// TestTutorial runs every command of the tutorial in the shell, in the order of the page.
func TestTutorial(t *testing.T) {
	b := newBed(t, "fake")
	b.beforeTutorial(t)
	newReader(t, b).paste(t, session{page: "tutorial.md"})
}

// reader is a reader who pastes the commands of a page into a shell.
type reader struct {
	*bed
	// dir is the directory of the reader. For the pages, it looks like a checkout.
	dir string
	// others are the foreign servers that this reader uses, or nil.
	others *others
}

func newReader(t *testing.T, b *bed) *reader {
	t.Helper()
	r := &reader{bed: b, dir: t.TempDir()}
	bin := filepath.Join(r.dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.Symlink(b.Bin("windlass"), filepath.Join(bin, "windlass")))
	r.haveLab(t, filepath.Join(bin, "windlass-lab"))
	for _, shown := range []string{"vnfpkg", "docs"} {
		require.NoError(t, os.Symlink(filepath.Join(b.Root, shown), filepath.Join(r.dir, shown)))
	}
	return r
}

// labOfPages is the program windlass-lab for pages. It uses the lab of the test, whose directory the pages do not name.
const labOfPages = "#!/bin/sh\nexec LAB \"$@\" --state-dir OWN\n"

func (r *reader) haveLab(t *testing.T, program string) {
	t.Helper()
	text := strings.NewReplacer("LAB", r.Bin("windlass-lab"), "OWN", environment.LabDir(r.Dir)).Replace(labOfPages)
	require.NoError(t, os.WriteFile(program, []byte(text), 0o755)) //nolint:gosec // a program
}

// ofTheTest are commands that the test runs itself, before or after the page. The keys are the beginnings of the
// commands, the values say why.
var ofTheTest = map[string]string{
	"go tool task build":    "the task of the test has built the programs",
	"bin/windlass-lab up ":  "newBed starts the lab, at an address that is free",
	"bin/windlass dev":      "newBed starts Windlass, at addresses that are free",
	"bin/windlass-lab down": "the end of the test removes the lab, and looks for what is left",
}

// run runs a script in the shell. The script exits with 1 after a command with an unexpected exit code.
func (r *reader) run(t *testing.T, script string) {
	t.Helper()
	info, err := r.Info()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "WINDLASS_API="+info.API)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "the last of these commands:\n%s", out)
}

// quote returns a text as one word of the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

var packageLine = regexp.MustCompile(`(?m)^([0-9a-f-]{36}) `)

// samplePackage returns the id of the on-boarded package.
func (b *bed) samplePackage(t *testing.T) string {
	t.Helper()
	out, err := b.Windlass(t.Context(), "package", "list").Output()
	require.NoError(t, err)
	m := packageLine.FindStringSubmatch(string(out))
	require.NotNil(t, m, strconv.Quote(string(out)))
	return m[1]
}
