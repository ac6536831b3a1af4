package vnfpkgtest

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares the JSON form of a value with a golden file, in the folder testdata of the test. The flag -update
// writes it.
func Golden(t testing.TB, name string, got any) {
	t.Helper()
	text, err := json.MarshalIndent(got, "", "  ")
	require.NoError(t, err)
	require.JSONEq(t, golden(t, name, append(text, '\n')), string(text))
}

// GoldenText compares a text with a golden file, as Golden does.
func GoldenText(t testing.TB, name, got string) {
	t.Helper()
	require.Equal(t, golden(t, name, []byte(got)), got)
}

// golden returns what a golden file has, and writes got into it before if that was asked for.
func golden(t testing.TB, name string, got []byte) string {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(want)
}
