package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byNobody are commands that no test runs with these words. The keys are the beginnings of the commands, the values say
// why.
var byNobody = map[string]string{
	"openstack service create ":   "the lab's Keystone has no administration; lab.md shows what it has instead",
	"openstack endpoint ":         "the same",
	"go tool task demo":           "it is what tests/programs/demo does, and takes minutes",
	"go tool task test":           "it is all tests",
	"WINDLASS_TEST_OPENSTACK=":    "a real OpenStack",
	"go tool task openstack:":     "the same",
	"go tool task bench":          "it measures for minutes",
	"go tool task temporal:tools": "the task test does so first",
	"go tool task docs:generate":  "it is the tests of docs/reference with -update",
	"windlass apiserver --keys":   "tests of internal/config read every setting as a flag",
	"windlass worker --worker-":   "the same",
	"windlass package upload ":    "TestPackageUpload_hasTheArchiveFetched of the client",
	"windlass dev":                "tests/support/environment brings every Windlass up so, in a directory of its own",
	"WINDLASS_TELEMETRY_ENDPOINT": "the same; trace_test.go has a collector",
}

// TestEveryCommandIsCarriedOut looks for commands of the pages that no test runs. It compares commands in indented
// blocks word by word. It compares commands in blocks of shell, tables and sentences by name and flags, and commands of
// curl by the resource.
func TestEveryCommandIsCarriedOut(t *testing.T) {
	t.Parallel()
	pages, done := shownByPages(t)
	carriedOut := forms{}
	for c := range done {
		carriedOut.add(c)
	}
	carriedOut.ofOtherTests(t)
	excused := exceptions{}
	for _, commands := range pages {
		for _, c := range commands {
			if beginsWithAny(c.text, doneElsewhere) && excused.have(c.text) {
				carriedOut.add(c.text)
			}
		}
	}
	for page, commands := range mentionedByPages(t) {
		for _, c := range commands {
			if !done[c] && !carriedOut.have(c) && !excused.have(c) {
				assert.Fail(t, "no test carries this out", "%s: %s", page, c)
			}
		}
	}
	for page, commands := range pages {
		for _, c := range commands {
			if alone := withoutComment(c.text); !done[alone] && !excused.have(alone) {
				assert.Fail(t, "no test carries this out", "%s: %s", page, c.text)
			}
		}
	}
	excused.requireAllNeeded(t)
}

// exceptions are the beginnings in byNobody and doneElsewhere that a command of a page has needed.
type exceptions map[string]bool

func (e exceptions) have(command string) (found bool) {
	for _, list := range []map[string]string{byNobody, doneElsewhere} {
		for begin := range list {
			if strings.HasPrefix(command, strings.TrimSpace(begin)) {
				e[begin], found = true, true
			}
		}
	}
	return found
}

// requireAllNeeded finds exceptions for commands that no page has any more, or that a test runs by now.
func (e exceptions) requireAllNeeded(t *testing.T) {
	t.Helper()
	for _, list := range []map[string]string{byNobody, doneElsewhere} {
		for begin := range list {
			assert.True(t, e[begin], "no page needs the exception for %q", begin)
		}
	}
}

// sessions are the pages and sections that tests paste as they stand.
func sessions() []session {
	out := slices.Concat(howTo, kubesprayPages, containerPages)
	return append(out, session{page: "tutorial.md"}, scriptsPage, playbooksPageOf)
}

// shownByPages returns the commands of every page, and the commands that tests read from pages and run.
func shownByPages(t *testing.T) (pages map[string][]pasted, done map[string]bool) {
	t.Helper()
	pages, done = map[string][]pasted{}, map[string]bool{}
	for name, text := range everyPage(t) {
		pages[name] = indented(text)
		if name == "docs/security.md" || name == "docs/operations.md" {
			for _, c := range pages[name] { // runningIt and temporalTools run them, except for some in byNobody
				done[withoutComment(c.text)] = !strings.HasPrefix(c.text, "WINDLASS_TELEMETRY_ENDPOINT")
			}
		}
	}
	for _, s := range sessions() {
		name := "docs/" + s.page
		for _, c := range commandsOf(s.text(t)) {
			pages[name] = append(pages[name], c)
			if !beginsWithAny(c.text, doneElsewhere) {
				done[withoutComment(c.text)] = true
			}
		}
	}
	return pages, done
}

// TestEveryPageSaysWhoPastesIt compares the table of the how-to pages with the sessions.
func TestEveryPageSaysWhoPastesIt(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(everyPage(t)["docs/how-to/README.md"], "\n| Pages | Test |\n")
	require.True(t, found)
	for _, s := range sessions() {
		link, err := filepath.Rel("how-to", s.page)
		require.NoError(t, err)
		assert.Contains(t, table, "]("+link+")", "a test pastes this page")
	}
}

func withoutComment(command string) string {
	return strings.TrimSpace(comment.ReplaceAllString(command, ""))
}

func beginsWithAny(command string, beginnings map[string]string) bool {
	for begin := range beginnings {
		if strings.HasPrefix(command, strings.TrimSpace(begin)) {
			return true
		}
	}
	return false
}

// mentionedByPages returns the commands in blocks of shell, sentences and tables, by page.
func mentionedByPages(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for name, text := range everyPage(t) {
		out[name] = mentioned(text)
	}
	return out
}

// everyPage returns the text of every page by its name.
func everyPage(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join("../../..", pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			out[strings.TrimPrefix(file, "../../../")] = string(text)
		}
	}
	return out
}
