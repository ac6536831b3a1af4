package prerequisites

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// task is a task of Taskfile.yml, with the members that this test needs.
type task struct {
	Desc     string
	Internal bool
	Deps     []yaml.Node
	Cmds     []yaml.Node
	Env      map[string]string
	Status   []string
}

// taskfile reads the tasks, and the variables of their commands.
func taskfile(t *testing.T, root string) (tasks map[string]task, vars map[string]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "Taskfile.yml"))
	require.NoError(t, err)
	var file struct {
		Vars  map[string]string
		Tasks map[string]task
	}
	require.NoError(t, yaml.Unmarshal(b, &file))
	require.NotEmpty(t, file.Tasks)
	return file.Tasks, file.Vars
}

// commands returns the commands that a task runs itself, without those of other tasks.
func (k task) commands() (out []string) {
	for _, cmd := range k.Cmds {
		if cmd.Kind == yaml.ScalarNode { // otherwise it calls another task
			out = append(out, cmd.Value)
		}
	}
	return append(out, k.Status...)
}

// installs reports whether the task installs the prerequisites of tests before it begins.
func (k task) installs() bool {
	return slices.ContainsFunc(k.Deps, func(dep yaml.Node) bool { return dep.Value == "prerequisites" })
}

func TestTasks_haveALineInTheList(t *testing.T) {
	tasks, _ := taskfile(t, root)
	for name, k := range tasks {
		assert.True(t, k.Internal != (k.Desc != ""), "%s needs desc, or internal: true", name)
		assert.NotContains(t, k.Desc, "\n", name)
	}
}

func TestTasks_installFirstWhatTheirTestsCall(t *testing.T) {
	tasks, _ := taskfile(t, root)
	checked := 0
	for name, k := range tasks {
		code := strings.Join(k.commands(), "\n")
		if !strings.Contains(code, "go test ") && !strings.Contains(code, "./programs/bench") &&
			!strings.Contains(code, "tests/support/openstack/test.sh") {
			continue
		}
		if name == "test" { // its first command does this
			assert.Equal(t, "prerequisites", k.Cmds[0].Content[1].Value)
			continue
		}
		checked++
		assert.True(t, k.installs(), "%s needs deps: [prerequisites]", name)
		assert.Equal(t, strings.Contains(code, "{{.RACE}}"), k.Env["CGO_ENABLED"] == "1",
			"%s: the race detector is written in C", name)
	}
	assert.Greater(t, checked, 10)
}
