package e2e

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

var seeds = flag.String("seeds", "", "directory with the five specifications; Tacker's packages are in ../packages of it")

// specificationTexts reads the five specifications, which are not in the repository; without them the test is left out.
func specificationTexts(t *testing.T) (texts []string) {
	t.Helper()
	dir := *seeds
	if root, err := environment.Root(); dir == "" && err == nil {
		dir = filepath.Join(root, "../shared/seeds")
	}
	if _, err := os.Stat(dir); *seeds == "" && err != nil {
		t.Skip("not run: the specifications are not in the repository; name their directory with -seeds DIR")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	return texts
}

// TestSpecifications_areWordForWord compares the data of specifiedRequests with the bodies in the specifications.
func TestSpecifications_areWordForWord(t *testing.T) {
	var all []map[string]any
	for _, text := range specificationTexts(t) {
		all = append(all, bodiesIn(text)...)
	}
	require.Len(t, all, len(specifications))
	for _, s := range specifications {
		body := readBody(t, filepath.Join("testdata/specifications", s.name+".json"))
		require.True(t, slices.ContainsFunc(all, func(other map[string]any) bool {
			return assert.ObjectsAreEqual(other, body)
		}), "no specification has the body of %s", s.name)
	}
}

// bodiesIn finds the JSON objects of requests in a text.
func bodiesIn(text string) (out []map[string]any) {
	for at := strings.Index(text, "{"); at >= 0; {
		var body map[string]any
		d := json.NewDecoder(strings.NewReader(text[at:]))
		next := 1
		if d.Decode(&body) == nil && body["flavourId"] != nil {
			out, next = append(out, body), int(d.InputOffset())
		}
		rest := strings.Index(text[at+next:], "{")
		if rest < 0 {
			break
		}
		at += next + rest
	}
	return out
}

// TestFragments_areWordForWord compares the fragments with those in the specifications: line by line, because one
// specification has lost its indentation. Lines with three dots stand for what a specification leaves out.
func TestFragments_areWordForWord(t *testing.T) {
	var all []string
	for _, text := range specificationTexts(t) {
		all = append(all, "\n"+linesOf(text))
	}
	compared := 0
	for _, list := range fragments {
		for _, f := range list {
			text, err := os.ReadFile(f.path())
			require.NoError(t, err)
			require.True(t, slices.ContainsFunc(all, func(spec string) bool {
				return strings.Contains(spec, "\n"+linesOf(string(text)))
			}), "no specification has the lines of %s", f.data)
			compared++
		}
	}
	files, err := filepath.Glob(filepath.Join(fragmentsDir, "*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, compared, "a file is not compared")
}

// linesOf returns the lines without indentation, without empty lines and without those of dots.
func linesOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line != "..." {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// vimFiles are the files of VIMs in the specification of Kubernetes as a VIM. Tests of the API and of the driver for
// Kubernetes register VIMs with them; specifiedVim does so with the OpenStack's.
var vimFiles = []string{
	"testdata/specifications/vim-openstack.yaml", "../../../internal/vim/kubernetes/testdata/vim-token.yaml",
	"../../../internal/vim/kubernetes/testdata/vim-password.yaml", "../../../internal/vim/kubernetes/testdata/vim-no-ca.yaml",
}

var (
	// The specification is one line, so a block ends where its next member has no colon.
	vimBlock  = regexp.MustCompile(`\.\. code-block:: console((?:\s+\w+: (?:"[^"]*"|'[^']*'|\S+))+)`)
	vimMember = regexp.MustCompile(`(\w+): ("[^"]*"|'[^']*'|\S+)`)
)

// TestVimFiles_areWordForWord compares the files of VIMs with those in the specification, member by member.
func TestVimFiles_areWordForWord(t *testing.T) {
	specified := map[string]bool{}
	for _, text := range specificationTexts(t) {
		for _, block := range vimBlock.FindAllStringSubmatch(text, -1) {
			specified[membersOf(t, block[1])] = true
		}
	}
	require.Len(t, specified, len(vimFiles))
	for _, file := range vimFiles {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, specified[membersOf(t, string(text))], "the specification has no file like %s", file)
	}
}

// membersOf returns the members of a file in their order, as YAML reads each of them.
func membersOf(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for _, m := range vimMember.FindAllStringSubmatch(text, -1) {
		var value any
		require.NoError(t, yaml.Unmarshal([]byte(m[2]), &value))
		line, err := json.Marshal([]any{m[1], value})
		require.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	return b.String()
}
