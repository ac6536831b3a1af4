package scripts_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/scripts"
)

func TestPlayInput_hasThePackageAsTarReadsIt(t *testing.T) {
	in := scripts.PlayInput{
		Package:   map[string][]byte{"Scripts/b.yaml": []byte("second"), "Scripts/a.yaml": []byte("first")},
		Inventory: "192.0.2.1\n", Variables: "{}", Key: "A KEY",
	}
	stdin, err := in.Stdin()
	require.NoError(t, err)
	again, err := in.Stdin()
	require.NoError(t, err)
	require.Equal(t, stdin, again, "the same files make the same input")
	inputs := map[string][]byte{}
	for line := range strings.Lines(string(stdin)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), "=")
		inputs[name], err = base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
	}
	require.Equal(t, "A KEY\n", string(inputs["key"]))
	tar := exec.CommandContext(t.Context(), "tar", "-xzO")
	tar.Stdin = bytes.NewReader(inputs["package"])
	out, err := tar.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "firstsecond", string(out))
}

func TestPlayHere_becomesTheProgram(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "it's me")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/bash\nprintf '%s|' \"$@\"\n"), 0o700))
	script, err := scripts.PlayHere{
		Program: program, As: "windlass-user-data", Claim: dir + "/claim", Lease: time.Minute, Playbook: "Scripts/a b.yaml",
		Reach: `{"denied":["127.0.0.0/8"]}`,
	}.Render()
	require.NoError(t, err)
	run := exec.CommandContext(t.Context(), "/bin/bash")
	run.Stdin = strings.NewReader(script)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, dir+"/claim|1m0s|start-playbook|Scripts/a b.yaml|{\"denied\":[\"127.0.0.0/8\"]}|", string(out))
}
