package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTroubleshooting_hasEveryKindOfError reads the kinds from their declaration: the client refers to their headings.
func TestTroubleshooting_hasEveryKindOfError(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../internal/lcm/error.go", nil, 0)
	require.NoError(t, err)
	headings, kinds := anchors(page(t, "troubleshooting.md")), 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Kind") {
			return true
		}
		kind, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		assert.Contains(t, headings, strings.ToLower(kind))
		kinds++
		return true
	})
	require.Greater(t, kinds, 6)
	assert.Contains(t, headings, "http", "of answers that only HTTP knows")
}
