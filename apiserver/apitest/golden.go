package apitest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/secrets"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares the JSON form of v with a golden file that uses the standard's names.
func Golden(t *testing.T, name string, v any) {
	t.Helper()
	doc, err := json.Marshal(v)
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, secrets.MaskDocument(doc), "", "  "))
	got.WriteByte('\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}
