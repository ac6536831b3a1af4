package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const output = `== e2e
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"worker killed\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB/sub"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
{"Action":"output","Package":"q","Output":"WARNING: DATA RACE\n"}
{"Action":"fail","Package":"q"}
`

func TestRun_readsWhatFailedAndWhy(t *testing.T) {
	var r run
	r.read(strings.NewReader(output))
	assert.Equal(t, 1, r.passed)
	assert.Equal(t, []failedTest{{"TestA", "worker killed\n"}, {"q", "WARNING: DATA RACE\n"}}, r.failed)
	assert.Contains(t, r.String(), "FAILED: TestA, q")
}

func TestResults_goOnWhereTheyStopped(t *testing.T) {
	o := options{results: filepath.Join(t.TempDir(), "results.json"), logs: t.TempDir(), times: 2}
	for _, failed := range [][]failedTest{nil, {{"TestA", "late"}}} {
		r, err := read(o.results)
		require.NoError(t, err)
		require.Equal(t, "e2e", r.next([]string{"e2e", "unit"}, o.times), "the first of those with the fewest runs")
		r.add("unit", run{commit: "abc1234", passed: 9})
		r.add("e2e", run{commit: "abc1234", passed: 3, failed: failed, seconds: 61})
		require.NoError(t, r.write(o.results))
	}
	r, err := read(o.results)
	require.NoError(t, err)
	assert.Empty(t, r.next([]string{"e2e", "unit"}, o.times))
	assert.Equal(t, count{Runs: 2, Passed: 1, Since: 0, Seconds: 61}, r.Suites["e2e"])
	assert.Equal(t, 2, r.Suites["unit"].Since)
	var table bytes.Buffer
	require.NoError(t, o.table(&table))
	assert.Contains(t, table.String(), "| e2e | 2 | 1 | 0 | 61 |")
	assert.Contains(t, table.String(), "| e2e | TestA | abc1234 |")
}

func TestCheck_refusesASuiteThatIsNone(t *testing.T) {
	require.ErrorContains(t, options{suites: []string{"e3e"}}.check(), `there is no suite "e3e"`)
}

func TestSuites_areTasks(t *testing.T) {
	b, err := os.ReadFile("../../Taskfile.yml")
	require.NoError(t, err)
	for _, name := range suites {
		_, after, found := strings.Cut(string(b), "\n  test:"+name+":\n")
		require.True(t, found, name)
		task, _, _ := strings.Cut(after, "\n\n")
		assert.Contains(t, task, "{{.CLI_ARGS}}", "%s must take arguments of go test", name)
	}
}

func TestOutside_leavesOutWhatTheTaskHasSet(t *testing.T) {
	assert.Equal(t, []string{"HOME=/root", "GOCACHE=/c"},
		outside([]string{"HOME=/root", "CGO_ENABLED=0", "GOFLAGS=-vet=off", "GOCACHE=/c"}))
}
