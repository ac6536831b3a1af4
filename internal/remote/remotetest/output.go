package remotetest

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

func streamsOutput(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{Stdout: []string{"one", "two"}, Hang: true})
	seen := make(chan string, 10)
	cmd.Output = func(line string) { seen <- line }
	done := background(t.Context(), dial(t, m.Target()), cmd)
	require.Equal(t, "one", <-seen)
	require.Equal(t, "two", <-seen)
	require.Empty(t, done, "the output came while the command was running")
	m.Release(cmd.ID)
	require.NoError(t, await(t, done).err)
}

func keepsStdoutApart(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{
		Stdout: []string{"windlass-result: token=abc", "{}"}, Stderr: []string{"a warning"},
	})
	result, err := dial(t, m.Target()).Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Equal(t, "windlass-result: token=abc\n{}\n", result.Stdout)
	require.Contains(t, result.Output, "a warning\n")
	require.Contains(t, result.Output, "windlass-result: token=abc\n")
}

func handsOverStdin(t *testing.T, m Machine) {
	cmd := command(m, Behaviour{Echo: true})
	cmd.Stdin = []byte("first\nsecond\x00\xff\n")
	result, err := dial(t, m.Target()).Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Equal(t, "first\nsecond\uFFFD\uFFFD\n", result.Output)
}

func masksSecrets(t *testing.T, m Machine) {
	secret, key := "s3cr/t+value", "-----BEGIN KEY-----\nMIIBVgIBADANBgkq\n-----END KEY-----"
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	cmd := command(m, Behaviour{
		Stdout: []string{"x" + secret + "y", "it is " + encoded, "s3cr%2Ft%2Bvalue", "MIIBVgIBADANBgkq"},
		Stderr: []string{"windlass: cannot use " + secret}, Exit: 1,
	})
	cmd.Mask = []string{secret, key, ""}
	var lines []string
	cmd.Output = func(line string) { lines = append(lines, line) }
	result, err := dial(t, m.Target()).Run(t.Context(), cmd)
	require.Error(t, err)
	require.Contains(t, err.Error(), "cannot use ***")
	for _, text := range append(lines, result.Output, result.Hide(result.Stdout), err.Error()) {
		for _, clear := range []string{secret, encoded, "s3cr%2F", "MIIBV"} {
			require.NotContains(t, text, clear)
		}
	}
	require.Contains(t, lines, "x***y")

	// Output for programs is not masked, even if it contains the beginning of a secret.
	cmd = command(m, Behaviour{Stdout: []string{"windlass-result: x=" + encoded + "AAAA"}})
	cmd.Mask = []string{secret}
	result, err = dial(t, m.Target()).Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Equal(t, "windlass-result: x="+encoded+"AAAA\n", result.Stdout)
	require.NotContains(t, result.Output, encoded)
}

func mapsExitCodes(t *testing.T, m Machine) {
	host := dial(t, m.Target())
	for code, kind := range map[int]lcm.ErrorKind{
		1: lcm.KindBroken, 65: lcm.KindInvalid, 78: lcm.KindInvalid,
		73: lcm.KindExhausted, 75: lcm.KindUnavailable, 127: lcm.KindBroken,
	} {
		result, err := host.Run(t.Context(), command(m, Behaviour{
			Stdout: []string{"windlass: the swap is on", "last"}, Exit: code,
		}))
		requireKind(t, kind, err)
		require.Equal(t, code, result.ExitCode)
		require.Contains(t, err.Error(), "the swap is on")
		require.Contains(t, err.Error(), m.Target().Node)
	}
	_, err := host.Run(t.Context(), command(m, Behaviour{Stdout: []string{"the last line"}, Exit: 9}))
	require.EqualError(t, err, m.Target().Node+": exit status 9: the last line")
}

func carriesMuchOutput(t *testing.T, m Machine) {
	line := strings.Repeat("0123456789", 10) + "abc" // 104 bytes with the newline
	const count = 10 << 20 / 104
	cmd := command(m, Behaviour{Stdout: []string{line}, Repeat: count - 1})
	seen := 0
	cmd.Output = func(got string) {
		if got == line {
			seen++
		}
	}
	result, err := dial(t, m.Target()).Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Equal(t, count, seen)
	require.Len(t, result.Output, 64<<10)
	require.Len(t, result.Stdout, 1<<20)
	require.True(t, strings.HasSuffix(result.Stdout, line+"\n"))
}

func survivesBinaryOutput(t *testing.T, m Machine) {
	long := strings.Repeat("x", 3<<20)
	cmd := command(m, Behaviour{Echo: true})
	cmd.Stdin = []byte("a\xff\xfe\x00b\r\n" + long + "\nafter\nno newline")
	var lines []string
	cmd.Output = func(line string) { lines = append(lines, line) }
	_, err := dial(t, m.Target()).Run(t.Context(), cmd)
	require.NoError(t, err)
	require.Len(t, lines, 4)
	for _, line := range lines {
		require.True(t, utf8.ValidString(line))
		require.NotContains(t, line, "\x00")
		require.Less(t, len(line), 20<<10)
	}
	require.Equal(t, []string{"after", "no newline"}, lines[2:])
}
