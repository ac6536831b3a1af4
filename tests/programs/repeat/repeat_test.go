package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func TestRounds_giveEachRunnerAnotherSuite(t *testing.T) {
	o := options{results: filepath.Join(t.TempDir(), "results.json"), times: 2, suites: []string{"unit", "e2e"}}
	r := &rounds{options: o, began: time.Now(), running: map[string]bool{}}
	take := func(want string) {
		t.Helper()
		name, err := r.take()
		require.NoError(t, err)
		require.Equal(t, want, name)
	}
	take("unit")
	take("e2e")
	take("")
	require.NoError(t, r.count("unit", run{passed: 1}))
	take("unit")
	require.NoError(t, r.count("unit", run{passed: 1}))
	take("")
	require.NoError(t, r.count("e2e", run{failed: []failedTest{{"TestA", "late"}}}))
	take("e2e")
}

func TestPassed_countsTheSuitesOfARunOfAllTests(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ci.log")
	o := options{results: filepath.Join(t.TempDir(), "results.json")}
	write := func(lines ...string) {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	write("== unit", "  12.0 == hostile peers", "ok  p  0.1s", "== e2e, all others")
	require.ErrorContains(t, o.countPassed(file), "did not pass")
	write("== unit", "  12.0 == hostile peers", "ok  p  (cached)", "== e2e, all others", " 90.0 == done")
	require.NoError(t, o.countPassed(file))
	r, err := read(o.results)
	require.NoError(t, err)
	assert.Equal(t, map[string]count{"hostile": {Runs: 1, Passed: 1, Since: 1}}, r.Suites,
		"unit was cached, and of e2e a part did not run")
}

func TestSuites_areTasks(t *testing.T) {
	b, err := os.ReadFile("../../../Taskfile.yml")
	require.NoError(t, err)
	for _, name := range allSuites {
		_, after, found := strings.Cut(string(b), "\n  test:"+name+":\n")
		require.True(t, found, name)
		task, _, _ := strings.Cut(after, "\n\n")
		assert.Contains(t, task, "{{.CLI_ARGS}}", "%s must take arguments of go test", name)
		require.NotEmpty(t, heads[name], name)
		for _, head := range heads[name] {
			assert.Contains(t, string(b), "- echo \""+head+"\"\n", "%s begins with it", name)
		}
	}
}

func TestOutside_leavesOutWhatTheTaskHasSet(t *testing.T) {
	assert.Equal(t, []string{"HOME=/root", "GOCACHE=/c"},
		outside([]string{"HOME=/root", "CGO_ENABLED=0", "GOFLAGS=-vet=off", "GOCACHE=/c"}))
}
