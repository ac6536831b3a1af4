package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// temporalTools runs every command of "With Temporal's tools" in docs/operations.md, heading by heading, with the real
// temporal and tctl. It compares the output with the page.
func temporalTools(t *testing.T, b *bed) {
	d := &toolsDrill{bed: b, home: t.TempDir()}
	for _, tool := range []string{"temporal", "tctl"} {
		require.FileExists(t, filepath.Join(b.Root, "bin", tool), "go tool task temporal:tools builds it")
	}
	page, err := os.ReadFile(filepath.Join(b.Root, "docs/operations.md"))
	require.NoError(t, err)
	shown := shownCommands(t, string(page))
	chapters := []struct {
		heading string
		prepare func(t *testing.T) (vnf, op string) // nil: the operation of the previous chapter
		ends    string                              // the state after the commands
		leave   func(t *testing.T, vnf, op string)  // nil: the next chapter uses the operation
	}{
		{"List and show", d.stuck, "FAILED_TEMP", nil},
		{"What is refused", nil, "FAILED_TEMP", nil},
		{"Retry", nil, "COMPLETED", d.terminated},
		{"Retry, with tctl", d.stuck, "COMPLETED", d.terminated},
		{"Retry all that wait", d.stuck, "COMPLETED", d.terminated},
		{"Roll back", d.stuck, "ROLLED_BACK", d.deleted},
		{"Roll back, with tctl", d.stuck, "ROLLED_BACK", d.deleted},
		{"Fail", d.stuck, "FAILED", d.cleared},
		{"Fail, with tctl", d.stuck, "FAILED", d.cleared},
		{"Cancel after the step", d.busy, "FAILED_TEMP", d.rolledBack},
		{"Cancel at once", d.hanging, "FAILED_TEMP", d.rolledBack},
		{"Cancel at once, with tctl", d.hanging, "FAILED_TEMP", d.rolledBack},
	}
	var headings []string
	for _, c := range chapters {
		headings = append(headings, c.heading)
	}
	for heading := range shown {
		require.Contains(t, headings, heading, "commands that nobody runs")
	}
	d.webUIIsToldOfTheCodec(t)
	var vnf, op string
	for _, c := range chapters {
		passed := t.Run(c.heading, func(t *testing.T) {
			require.NotEmpty(t, shown[c.heading], "the page shows no command under this heading")
			if c.prepare != nil {
				vnf, op = c.prepare(t)
			}
			for _, s := range shown[c.heading] {
				d.run(t, s, filepath.Base(op))
			}
			d.reaches(t, op, c.ends)
			b.ClearFaults(t)
			b.Pace(t, 0, 0)
			if c.leave != nil {
				c.leave(t, vnf, op)
				b.RequireNothingLeft(t)
			}
		})
		if !passed {
			return
		}
	}
}

type toolsDrill struct {
	*bed
	home string // so that no configuration of the user matters
	made int
}

// stuck returns an INSTANTIATE in FAILED_TEMP.
func (d *toolsDrill) stuck(t *testing.T) (vnf, op string) {
	d.breakInit(t)
	vnf, op = d.instantiated(t)
	d.Await(t, op, quick, "FAILED_TEMP")
	d.ClearFaults(t)
	d.awaitListed(t, op, "FAILED_TEMP")
	return vnf, op
}

// breakInit makes kubeadm fail until the faults are cleared: a slow worker may run an activity more than once.
func (d *toolsDrill) breakInit(t *testing.T) {
	d.ScriptFault(t, map[string]any{
		"script": "kubeadm-init", "times": 100, "exit_code": 1,
		"output": "windlass: kubeadm init failed: port 6443 is in use.",
	})
}

// instantiated begins an operation on a VNF with a new name.
func (d *toolsDrill) instantiated(t *testing.T) (vnf, op string) {
	d.made++
	return d.Instantiate(t, fmt.Sprintf("tools-%d", d.made), nil)
}

// busy returns an operation that slowly prepares its nodes.
func (d *toolsDrill) busy(t *testing.T) (vnf, op string) {
	d.Pace(t, 0, 5*time.Second)
	vnf, op = d.instantiated(t)
	d.AwaitNode(t, op, "Prepare every node", "RUNNING")
	return vnf, op
}

// hanging returns an operation that does not continue by itself.
func (d *toolsDrill) hanging(t *testing.T) (vnf, op string) {
	d.ScriptFault(t, map[string]any{"script": "kubeadm-init", "times": 100, "hang": true})
	vnf, op = d.instantiated(t)
	d.AwaitNode(t, op, "Initialise the first control plane", "RUNNING")
	return vnf, op
}

// reaches waits for a state. A signal takes effect only after its command has ended.
func (d *toolsDrill) reaches(t *testing.T, op, state string) {
	t.Helper()
	for end := time.Now().Add(2 * quick); ; {
		got := d.Get(t, op)
		if got["operationState"] == state {
			return
		}
		require.Less(t, time.Now(), end, "it is %s, not %s: %v", got["operationState"], state, got["error"])
		testbed.Pause(t)
	}
}

// awaitListed waits until Temporal's list of workflows contains the operation. The list is updated with a delay.
func (d *toolsDrill) awaitListed(t *testing.T, op, state string) {
	t.Helper()
	query := fmt.Sprintf("OperationState='%s' AND VnfInstanceName='tools-%d' AND VimName='cloud'", state, d.made)
	require.Eventually(t, func() bool {
		out, err := d.tool(t, "temporal workflow list --query \""+query+"\"").CombinedOutput()
		return err == nil && strings.Contains(string(out), filepath.Base(op))
	}, time.Minute, 200*time.Millisecond, "the operation is not listed")
}

func (d *toolsDrill) rolledBack(t *testing.T, vnf, op string) {
	a := d.Act(t, op, "rollback", nil)
	require.Equal(t, http.StatusAccepted, a.Status, "%s", a.Body)
	d.Await(t, op, quick, "ROLLED_BACK")
	d.deleted(t, vnf, op)
}

func (d *toolsDrill) deleted(t *testing.T, vnf, _ string) {
	d.Delete(t, vnf)
}

func (d *toolsDrill) terminated(t *testing.T, vnf, _ string) { d.Remove(t, vnf) }

// cleared removes what an operation that was given up has left: the next operation uses it, fails, and is rolled back.
func (d *toolsDrill) cleared(t *testing.T, vnf, _ string) {
	d.breakInit(t)
	op := d.Begin(t, vnf, "instantiate", d.InstantiateRequest(t, "tools-cleared", nil))
	d.Await(t, op, quick, "FAILED_TEMP")
	d.ClearFaults(t)
	d.rolledBack(t, vnf, op)
}

// tool prepares a command line with the tools in its path, and with the variables that the page exports.
func (d *toolsDrill) tool(t *testing.T, line string) *exec.Cmd {
	t.Helper()
	info, err := d.Info()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = d.home
	cmd.Env = []string{
		"PATH=" + filepath.Join(d.Root, "bin") + ":" + os.Getenv("PATH"), "HOME=" + d.home, "NO_COLOR=1", "TZ=UTC",
		"COLUMNS=200",
		"TEMPORAL_ADDRESS=" + info.Temporal, "TEMPORAL_NAMESPACE=" + info.Namespace, "TEMPORAL_CODEC_ENDPOINT=" + info.API +
			"/windlass/v1/codec",
		"TEMPORAL_CLI_ADDRESS=" + info.Temporal, "TEMPORAL_CLI_NAMESPACE=" + info.Namespace,
	}
	return cmd
}

func (d *toolsDrill) run(t *testing.T, s shownCommand, id string) {
	t.Helper()
	out, err := d.tool(t, strings.ReplaceAll(s.line, "ID", id)).CombinedOutput()
	t.Logf("$ %s: %d bytes, %v", s.line, len(out), err)
	requireShown(t, s, string(out))
}

// webUIIsToldOfTheCodec checks that windlass dev configures the codec in Temporal's Web UI.
func (d *toolsDrill) webUIIsToldOfTheCodec(t *testing.T) {
	t.Helper()
	info, err := d.Info()
	require.NoError(t, err)
	a := testbed.Request(t, http.MethodGet, info.TemporalUI+"/api/v1/settings", nil)
	require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	var settings struct{ Codec struct{ Endpoint string } }
	require.NoError(t, json.Unmarshal(a.Body, &settings))
	require.Equal(t, info.API+"/windlass/v1/codec", settings.Codec.Endpoint)
}

// shownCommand is a command of the page with its shown output.
type shownCommand struct {
	line   string
	output []string
}

// shownCommands returns the commands under each heading of "With Temporal's tools": indented lines with a prompt.
func shownCommands(t *testing.T, page string) map[string][]shownCommand {
	t.Helper()
	_, section, found := strings.Cut(page, "\n## With Temporal's tools\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	out := map[string][]shownCommand{}
	for part := range strings.SplitSeq(section, "\n### ") {
		heading, body, _ := strings.Cut(part, "\n")
		for line := range strings.Lines(body) {
			text, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
			list := out[heading]
			switch command, isCommand := strings.CutPrefix(text, "$ "); {
			case !indented:
			case isCommand:
				out[heading] = append(list, shownCommand{line: command})
			case len(list) > 0 && strings.HasSuffix(list[len(list)-1].line, "\\"):
				list[len(list)-1].line = strings.TrimSuffix(list[len(list)-1].line, "\\") + text
			case len(list) > 0 && strings.TrimSpace(text) != "":
				list[len(list)-1].output = append(list[len(list)-1].output, text)
			}
		}
	}
	return out
}

// colour is the colour of tctl's headings. tctl uses it even without a terminal.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// variable are words that differ between operations: all words with a digit.
var variable = regexp.MustCompile(`[\w.+-]*\d[\w.+-]*(?::\d[\w.+-]*)*`)

// words returns the words of a line without ids, times, numbers, and the lines of a table.
func words(line string) string {
	line = colour.ReplaceAllString(line, "")
	line = strings.NewReplacer("ID", "0", "|", " ", "+", " ").Replace(line)
	return strings.Join(strings.Fields(variable.ReplaceAllString(line, "#")), " ")
}

// requireShown checks that the output contains every line that the page shows, in order. "..." stands for any text.
func requireShown(t *testing.T, s shownCommand, output string) {
	t.Helper()
	rest := slices.Collect(strings.Lines(output))
	for _, want := range s.output {
		if strings.TrimSpace(want) == "..." {
			continue
		}
		i := slices.IndexFunc(rest, func(line string) bool { return shows(words(line), words(want)) })
		require.GreaterOrEqual(t, i, 0, "%s\nprints nothing like\n%s\nin\n%s", s.line, want, output)
		rest = rest[i+1:]
	}
}

func shows(line, want string) bool {
	for part := range strings.SplitSeq(want, "...") {
		_, after, found := strings.Cut(line, strings.TrimSpace(part))
		if !found {
			return false
		}
		line = after
	}
	return true
}
