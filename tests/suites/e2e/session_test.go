package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// session is a page that a reader pastes into a new shell, block by block.
type session struct {
	page string // below docs
	// sections are the headings of the sections to paste. Without them, the session has the entire page.
	sections []string
	// own are the names of values that the page tells its readers to replace. The page has a line NAME=value for each;
	// the others of the reader have the value.
	own []string
	// before arranges what the page assumes beyond the tutorial. after checks what the page has done, and removes what
	// the page cannot remove.
	before, after func(*reader, *testing.T)
	// changes says that the page removes edge-1, or changes it so that other pages cannot go on from it.
	changes bool
}

// read runs a session with what belongs to it.
func (r *reader) read(t *testing.T, s session) {
	t.Helper()
	if s.before != nil {
		s.before(r, t)
	}
	r.paste(t, s)
	if s.after != nil {
		s.after(r, t)
	}
}

// sessionStart is what every session has: the directory with the programs, and a home directory. Its curl also fails on
// HTTP errors, and ends streams of events: a reader presses Ctrl-C.
const sessionStart = `export PATH=$PWD/bin:$PATH HOME=$PWD
curl() {
  case "$*" in
  */events) command curl --fail-with-body --max-time 1 "$@" || [ $? -eq 28 ] ;;
  *) command curl --fail-with-body "$@" ;;
  esac
}
`

// inTutorial runs a session beside tests that have another VIM: the cloud of the tutorial is there meanwhile.
func (r *reader) inTutorial(t *testing.T, s session) {
	t.Helper()
	r.run(t, sessionStart+"windlass vim update cloud --default=false")
	r.follow(t, "3. Register the cloud as a VIM")
	r.read(t, s)
	r.run(t, sessionStart+"set -e\nwindlass vim delete lab\nwindlass vim update cloud --default\n")
}

// paste runs the commands of a session in one shell, as they stand on the page. It leaves out the commands that other
// tests run.
func (r *reader) paste(t *testing.T, s session) {
	t.Helper()
	text := r.ownValues(t, s)
	commands := commandsOf(text)
	require.NotEmpty(t, commands, "%s has no commands", s.page)
	script := sessionStart
	for _, c := range commands {
		if beginsWithAny(c.text, ofTheTest) || beginsWithAny(c.text, doneElsewhere) {
			continue
		}
		script += fmt.Sprintf("echo %s\n%s\n[ $? -eq %d ] || exit 1\n", quote("$ "+c.text), c.text, c.exit)
	}
	r.run(t, script)
}

// text returns the text of a session.
func (s session) text(t *testing.T) (out string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../../docs", s.page))
	require.NoError(t, err)
	if s.sections == nil {
		return string(raw)
	}
	for _, heading := range s.sections {
		at := regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(heading) + `$`).FindIndex(raw)
		require.NotNil(t, at, "%s has no section %q", s.page, heading)
		section := string(raw[at[1]:])
		if next := headings.FindStringIndex(section); next != nil {
			section = section[:next[0]]
		}
		out += section
	}
	return out
}

// ownValues returns the text of a session with the values of this reader, in the lines of the page that tell the reader
// to put them there.
func (r *reader) ownValues(t *testing.T, s session) string {
	t.Helper()
	text := s.text(t)
	for _, name := range s.own {
		line := regexp.MustCompile(`(?m)^` + name + `=.*$`)
		require.Len(t, line.FindAllString(text, -1), 1, "%s must have one line %s=...", s.page, name)
		text = line.ReplaceAllLiteralString(text, name+"="+quote(r.others.own[name]))
	}
	return text
}

// headings are the beginnings of sections. A line with one # may be a comment of the shell.
var headings = regexp.MustCompile(`(?m)^#{2,3} `)
