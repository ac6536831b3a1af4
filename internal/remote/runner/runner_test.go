package runner_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/windlass-nfv/windlass/internal/remote/runner"
)

func TestScript_isCleanForBashAndShellcheck(t *testing.T) {
	for _, check := range [][]string{{"bash", "-n"}, {"shellcheck", "-s", "bash", "-"}} {
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Logf("%s is not installed", check[0])
			continue
		}
		cmd := exec.Command(check[0], check[1:]...)
		cmd.Stdin = strings.NewReader(runner.Script)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

func TestQuote_isUndoneByWordsAndByAShell(t *testing.T) {
	for _, text := range []string{"", "plain", "it's", `a "b" \c $d`, "new\nline", "-n *?", "é\xff"} {
		out, err := exec.Command("bash", "-c", "printf '%s' "+runner.Quote(text)).Output()
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "words")
		var quoted []string
		for _, word := range want {
			quoted = append(quoted, runner.Quote(word))
		}
		got, ok := runner.Words(strings.Join(quoted, " "))
		require.True(t, ok)
		require.Equal(t, want, got)
	})
	words, ok := runner.Words(`A=b"c \"d\\ $e"f\ g`)
	require.True(t, ok)
	require.Equal(t, []string{`A=bc "d\ $ef g`}, words)
	_, ok = runner.Words("'open")
	require.False(t, ok)
}

func TestParse_undoesEveryCommandLine(t *testing.T) {
	for prefix, want := range map[string]runner.Request{
		runner.AsUser: {}, runner.WithSudo: {Sudo: true}, runner.WithSudoPassword: {Sudo: true, Password: true},
	} {
		want.Base = runner.RootBase
		want.Verb, want.Args = "put", []string{"-", "/etc/it's", "644"}
		got, ok := runner.Parse(runner.Call(prefix, runner.RootBase, "put", want.Args...))
		require.True(t, ok)
		require.Equal(t, want, got)

		want.Verb, want.Args = "install", []string{runner.Name()}
		got, ok = runner.Parse(runner.Install(prefix, runner.RootBase))
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	got, ok := runner.Parse(runner.Probe)
	require.True(t, ok)
	require.Equal(t, "probe", got.Verb)
	for _, line := range []string{"", "ls", "bash -c true", "sudo -n -- bash x/y start", "'"} {
		_, ok := runner.Parse(line)
		require.False(t, ok, line)
	}
}

func TestReadUpload_noticesACut(t *testing.T) {
	upload, err := runner.Upload("echo hello", []byte("secret\x00"))
	require.NoError(t, err)
	script, stdin, err := runner.ReadUpload(bytes.NewReader(upload))
	require.NoError(t, err)
	require.Equal(t, "echo hello", script)
	require.Equal(t, "secret\x00", string(stdin))
	for cut := 0; cut < 2500; cut += 100 { // the three files; the rest is padding
		_, _, err := runner.ReadUpload(bytes.NewReader(upload[:cut]))
		require.Error(t, err, "%d bytes", cut)
	}
}

func FuzzParseReply(f *testing.F) {
	f.Add(runner.RC(3, runner.Ended).String())
	f.Add(runner.Stdout([]byte("x")).String())
	f.Add("windlass-runner:  ")
	f.Fuzz(func(t *testing.T, line string) {
		reply, ok := runner.ParseReply(line)
		if !ok {
			return
		}
		again, ok := runner.ParseReply(reply.String())
		require.True(t, ok)
		require.Equal(t, reply.Word, again.Word)
		_, _, _ = reply.RC()
		_, _ = reply.Stdout()
	})
}
