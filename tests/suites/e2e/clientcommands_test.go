package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// inGo is a command of windlass in a test: words in quotes, and variables, on one line.
	inGo = regexp.MustCompile(`"(?:(?:vnf|op|package|vim|subscription|keys|profile)", "[a-z-]+"|(?:audit|version|migrate-check|worker)")[^\n]*`)
	word = regexp.MustCompile(`"([^"\n]*)"`)
)

// ofOtherTests adds the commands that the tests of the client, and the tests with real servers, run.
func (f forms) ofOtherTests(t *testing.T) {
	t.Helper()
	for _, pattern := range []string{
		"../../../cmd/windlass/*_test.go", "*_test.go", "../../support/testbed/*.go", "../../programs/demo/*.go", "../../support/environment/*.go",
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			switch filepath.Base(file) {
			case "mistakes_test.go", "complete_test.go", "everycommand_test.go", "arranged_test.go":
				continue // their commands are refused, incomplete, or only listed
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, line := range inGo.FindAllString(string(text), -1) {
				command := "windlass"
				for _, m := range word.FindAllStringSubmatch(line, -1) {
					command += " " + m[1]
				}
				f.add(command)
			}
		}
	}
}
