package gobuild

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module writes a module with two programs; the path of the second one's package ends with a version.
func module(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range map[string]string{
		"go.mod":         "module example.org/m\n\ngo 1.26.0\n",
		"hello/main.go":  "package main\n\nfunc main() { println(\"hello\") }\n",
		"server/v3/m.go": "package main\n\nvar who string\n\nfunc main() { println(\"I am\", who) }\n",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	}
	return dir
}

func run(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func TestBuild_compilesEachProgramUnderItsName(t *testing.T) {
	dir, bin := module(t), t.TempDir()
	b := Build{
		Dir: dir, LinkerFlags: Stripped + " -X main.who=etcd", Plain: []string{"example.org/..."},
		Programs: []Program{
			{Package: "./hello", File: filepath.Join(bin, "hello")},
			{Package: "./server/v3", File: filepath.Join(bin, "etcd")},
		},
	}
	var told []string
	now := func(format string, _ ...any) { told = append(told, format) }
	packages, err := b.Fetch(t.Context(), now)
	require.NoError(t, err)
	assert.Greater(t, packages, 2, "the standard library's count, too")
	require.NoError(t, b.Compile(t.Context(), packages, now))
	assert.Contains(t, told, "%d of at most %d packages")
	assert.Equal(t, "hello", run(t, filepath.Join(bin, "hello")))
	assert.Equal(t, "I am etcd", run(t, filepath.Join(bin, "etcd")))
}

func TestCompile_saysWhatTheCompilerSays(t *testing.T) {
	dir := module(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello/main.go"), []byte("package main\n\nfunc main() { x }\n"), 0o600))
	b := Build{Dir: dir, Programs: []Program{{Package: "./hello", File: filepath.Join(t.TempDir(), "hello")}}}
	err := b.Compile(t.Context(), 0, func(string, ...any) {})
	require.ErrorContains(t, err, "undefined: x")
}
