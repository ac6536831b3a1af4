package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/environment"
)

// TestTutorial runs every command of the tutorial in the shell, in the order of the page.
func TestTutorial(t *testing.T) {
	b := newBed(t, "fake")
	// The tutorial on-boards the package and registers the cloud itself.
	for _, args := range [][]string{{"package", "delete", b.samplePackage(t)}, {"vim", "delete", b.Vim}} {
		out, err := b.Windlass(t.Context(), args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	newReader(t, b).read(t, "docs/tutorial.md")
}

// reader is a reader who pastes the commands of a page into a shell.
type reader struct {
	*bed
	// dir is the directory of the reader. For the pages, it looks like a checkout.
	dir string
	// env are additional variables of the shell, as name=value.
	env []string
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
// When a page starts and stops a lab, it uses another one.
const labOfPages = `#!/bin/sh
case "$1" in
up)
  LAB "$@" --listen 127.0.0.1:0 --state-dir OTHER > OTHER.log 2>&1 &
  lab=$!
  until LAB status --state-dir OTHER > /dev/null 2>&1; do
    kill -0 $lab || { cat OTHER.log; exit 1; }
    sleep 0.05
  done
  ;;
down) exec LAB "$@" --state-dir OTHER ;;
*) exec LAB "$@" --state-dir OWN ;;
esac
`

func (r *reader) haveLab(t *testing.T, program string) {
	t.Helper()
	lab, other := r.Bin("windlass-lab"), filepath.Join(r.dir, "other-lab")
	text := strings.NewReplacer("LAB", lab, "OTHER", other, "OWN", environment.LabDir(r.Dir)).Replace(labOfPages)
	require.NoError(t, os.WriteFile(program, []byte(text), 0o755)) //nolint:gosec // a program
	t.Cleanup(func() {
		out, err := exec.CommandContext(context.Background(), lab, "down", "--state-dir", other).CombinedOutput()
		require.NoError(t, err, "%s", out)
	})
}

// pasted is a command of a page. It fails if its shown output says that the operation waits in FAILED_TEMP.
type pasted struct {
	text  string
	fails bool
}

var consoleBlocks = regexp.MustCompile("(?s)```console\n(.*?)```")

// commandsOf returns the commands in the blocks of a page. A command continues until its quotes and its here-document
// end.
func commandsOf(page string) (out []pasted) {
	for _, block := range consoleBlocks.FindAllStringSubmatch(page, -1) {
		for i, part := range strings.Split("\n"+block[1], "\n$ ") {
			if i == 0 {
				continue
			}
			lines := strings.Split(strings.TrimRight(part, "\n"), "\n")
			end := 1
			for end < len(lines) && incomplete(strings.Join(lines[:end], "\n")) {
				end++
			}
			out = append(out, pasted{
				text:  strings.Join(lines[:end], "\n"),
				fails: slices.ContainsFunc(lines[end:], func(l string) bool { return strings.HasSuffix(l, " FAILED_TEMP") }),
			})
		}
	}
	return out
}

var (
	hereDocument = regexp.MustCompile(`<<\s*'?(\w+)'?`)
	comment      = regexp.MustCompile(`(?m)(^|\s)#.*$`)
)

func incomplete(command string) bool {
	if m := hereDocument.FindStringSubmatch(command); m != nil {
		return !strings.HasSuffix(command, "\n"+m[1])
	}
	command = comment.ReplaceAllString(command, "") // an apostrophe in a comment is no quote
	return strings.Count(command, "'")%2 != 0 || strings.HasSuffix(command, "\\")
}

// ofTheTest are commands that the test runs itself, before or after the page: it builds the programs, and starts the
// servers at its own addresses.
var ofTheTest = []string{
	"go tool task build", "bin/windlass-lab up --machines fake", "bin/windlass dev", "bin/windlass-lab down",
	"ANSIBLE=192.0.2.9", "PASSWORD=of-the-ansible-server",
}

// exitWaits is the exit code of the client when a watched operation reaches FAILED_TEMP.
const exitWaits = 3

// read runs the commands of a page in one shell.
func (r *reader) read(t *testing.T, page string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Root, page))
	require.NoError(t, err)
	r.paste(t, page, string(text))
}

// paste runs the commands of a text from a page.
func (r *reader) paste(t *testing.T, page, text string) {
	t.Helper()
	commands := commandsOf(text)
	require.NotEmpty(t, commands, page)
	script := "export PATH=$PWD/bin:$PATH\n"
	for _, c := range commands {
		if slices.Contains(ofTheTest, c.text) {
			continue
		}
		want := 0
		if c.fails {
			want = exitWaits
		}
		script += fmt.Sprintf("echo %s\n%s\n[ $? -eq %d ] || exit 1\n", quote("$ "+c.text), c.text, want)
	}
	r.run(t, script)
}

// run runs a script in the shell. The script exits with 1 after a command with an unexpected exit code.
func (r *reader) run(t *testing.T, script string) {
	t.Helper()
	info, err := r.Info()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir, cmd.Env = r.dir, slices.Concat(os.Environ(), r.env, []string{"WINDLASS_API=" + info.API})
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
