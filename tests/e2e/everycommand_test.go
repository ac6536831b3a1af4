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
	"windlass op watch 433960ee":  "what the demo has printed",
	"openstack service create ":   "the lab's Keystone has no administration; lab.md shows what it has instead",
	"openstack endpoint ":         "the same",
	"go tool task demo":           "it is what tests/demo does, and takes minutes",
	"go tool task test":           "it is all tests",
	"WINDLASS_TEST_OPENSTACK=":    "a real OpenStack",
	"go tool task openstack:":     "the same",
	"go tool task bench":          "it measures for minutes",
	"go tool task temporal:tools": "the task test does so first",
	"go tool task docs:generate":  "it is the tests of docs/reference with -update",
	"windlass apiserver --keys":   "tests of internal/config read every setting as a flag",
	"windlass worker --worker-":   "the same",
	"windlass vim update north -": "TestVimUpdate_sendsWhatIsToChange of the client",
	"windlass package upload ":    "TestPackageUpload_hasTheArchiveFetched of the client",
	"windlass dev":                "tests/environment brings every Windlass up so, in a directory of its own",
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
	for _, a := range arranged {
		carriedOut.add(a.before)
		carriedOut.add(a.after)
	}
	carriedOut.ofOtherTests(t)
	for page, commands := range mentionedByPages(t) {
		for _, c := range commands {
			if !done[c] && !carriedOut.have(c) && !beginsWithAny(c, byNobody) && !beginsWithAny(c, doneElsewhere) {
				assert.Fail(t, "no test carries this out", "%s: %s", page, c)
			}
		}
	}
	for page, commands := range pages {
		for _, c := range commands {
			alone := strings.TrimPrefix(withoutComment(c.text), "bin/")
			if !done[alone] && !beginsWithAny(alone, byNobody) && !beginsWithAny(alone, doneElsewhere) {
				assert.Fail(t, "no test carries this out", "%s: %s", page, c.text)
			}
		}
	}
}

// shownByPages returns the commands of every page, and the commands that tests read from pages and run.
func shownByPages(t *testing.T) (pages map[string][]pasted, done map[string]bool) {
	t.Helper()
	pages, done = map[string][]pasted{}, map[string]bool{}
	for name, text := range everyPage(t) {
		pages[name] = append(indented(text), commandsOf(text)...)
		for _, c := range pages[name] {
			if isCarriedOut(name, c) {
				done[withoutComment(c.text)] = true
			}
		}
	}
	return pages, done
}

// isCarriedOut says whether a test follows the page and runs this command of it.
func isCarriedOut(page string, c pasted) bool {
	name := strings.TrimPrefix(page, "docs/")
	for _, p := range howTo {
		if p.page == name {
			return !c.carriedOutElsewhere() && (name != comingFromTacker || !carriedOutBefore(c))
		}
	}
	if name == "security.md" || name == "operations.md" {
		return !strings.HasPrefix(c.text, "WINDLASS_TELEMETRY_ENDPOINT") // runningIt and temporalTools run the others
	}
	inHowTo := strings.TrimPrefix(name, "how-to/")
	return name == "tutorial.md" || slices.Contains([]string{"kubespray.md", "external-load-balancer.md", "scripts.md", "ansible.md"},
		inHowTo) ||
		slices.Contains(containerPages, inHowTo) && strings.HasPrefix(c.text, "windlass ")
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
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			out[strings.TrimPrefix(file, "../../")] = string(text)
		}
	}
	return out
}
