package document_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/vnfpkg/document"
	"github.com/windlass-nfv/windlass/vnfpkg/vnfpkgtest"
)

func TestParseYAML_isWhatJSONWouldHave(t *testing.T) {
	got, err := document.ReadPlain("a.yaml",
		[]byte("version: 2013-05-23\na: [1, 0x10, 1.5, .inf, true, ~, '7', {b: &x c}]\nd: *x\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"version": "2013-05-23", "a": []any{int64(1), int64(16), 1.5, ".inf", true, nil, "7", map[string]any{"b": "c"}},
		"d": "c",
	}, got)
	_, err = document.ReadPlain("a.yaml", []byte("a: [\n"))
	require.Contains(t, vnfpkgtest.Problems(t, err)[0], "a.yaml")
}
