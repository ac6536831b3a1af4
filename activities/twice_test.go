package activities_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// elsewhere are activities whose second run is tested elsewhere: those that build a cluster, which the tests of this
// and of the lab do twice (buildCluster), those of drift (driftBed.act), and those that call only the store or package
// onboard.
var elsewhere = []string{
	"WaitForSSH", "PrepareNode", "ConfigureLoadBalancer", "InitControlPlane", "JoinControlPlane", "JoinWorker",
	"RevokeJoin", "LabelNodes", "CreateVimAccount",
	"RecordPlan", "RecordDrift", "ActOnDrift", "FetchPackage", "GiveUpPackage",
}

// TestActivities_areRunTwice checks that the test of each activity with an effect runs it twice, because Temporal runs
// an activity again if it did not get the result.
func TestActivities_areRunTwice(t *testing.T) {
	effects, twice := map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	rooms, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	files = append(files, rooms...)
	onMachines, err := filepath.Glob("../tests/suites/contract/machines/*_test.go")
	require.NoError(t, err)
	require.NotEmpty(t, onMachines)
	for _, name := range onMachines {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		// Only these files call activities; scripts have the same names.
		if strings.Contains(string(text), `"github.com/windlass-nfv/windlass/activities/`) {
			files = append(files, name)
		}
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			switch {
			case !ok:
			case strings.HasSuffix(name, "_test.go"):
				for _, called := range repeated(f) {
					twice[called] = true
				}
			case isActivity(f) && !strings.Contains(f.Doc.Text(), "only reads") && !strings.Contains(f.Doc.Text(), "only looks"):
				effects[f.Name.Name] = true
			}
		}
	}
	require.Greater(t, len(effects), 30, "activities are found")
	for name := range effects {
		assert.True(t, twice[name] || slices.Contains(elsewhere, name), "no test runs %s in a loop (for range 2)", name)
	}
	for _, name := range elsewhere {
		assert.True(t, effects[name], "%s is no activity with an effect", name)
		assert.False(t, twice[name], "%s is run twice here: leave it out of the list", name)
	}
}

// isActivity reports whether a function is an exported method with a context and an input named in.
func isActivity(f *ast.FuncDecl) bool {
	p := f.Type.Params.List
	return f.Recv != nil && f.Name.IsExported() && len(p) == 2 && len(p[1].Names) == 1 && p[1].Names[0].Name == "in"
}

// repeated returns the names that a function uses in a loop over a number, in what it passes to twice, or more than
// once.
func repeated(f *ast.FuncDecl) (names []string) {
	count := map[string]int{}
	all := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				names = append(names, s.Sel.Name)
			}
			return true
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if count[n.Sel.Name]++; count[n.Sel.Name] == 2 {
				names = append(names, n.Sel.Name)
			}
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.Ident); ok && called.Name == "twice" {
				all(n)
			}
		case *ast.RangeStmt:
			if number, ok := n.X.(*ast.BasicLit); ok && number.Kind == token.INT {
				all(n.Body)
			}
		}
		return true
	})
	return names
}
