package freeport_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/freeport"
)

// asAnother is set in the second process that a test starts from its own binary.
const asAnother = "WINDLASS_TEST_AS_ANOTHER_PROCESS"

func TestFind_isOutsideTheKernelsRange(t *testing.T) {
	for range 50 {
		port, err := freeport.Find(t.Context(), "127.0.0.1")
		require.NoError(t, err)
		require.Less(t, port, 32768)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
}

// TestFind_isForOneProcessOnly requires that two processes get different ports, although neither listens yet. Without
// reservations, 100 ports of another process would collide with about four of our 500.
func TestFind_isForOneProcessOnly(t *testing.T) {
	if os.Getenv(asAnother) != "" {
		for range 20 {
			port, err := freeport.Find(t.Context(), "127.0.0.1")
			require.NoError(t, err)
			fmt.Println("found", port) //nolint:forbidigo // for the other process
		}
		return
	}
	ours := map[string]bool{}
	for range 500 {
		port, err := freeport.Find(t.Context(), "127.0.0.1")
		require.NoError(t, err)
		require.NotContains(t, ours, strconv.Itoa(port))
		ours[strconv.Itoa(port)] = true
	}
	runtime.GC() // the garbage collector would close unreferenced reservations
	theirs := 0
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), asAnother+"=yes")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		for _, found := range regexp.MustCompile(`found (\d+)`).FindAllStringSubmatch(string(out), -1) {
			require.NotContains(t, ours, found[1])
			theirs++
		}
	}
	require.Equal(t, 100, theirs)
}

func TestFind_saysWhy(t *testing.T) {
	_, err := freeport.Find(t.Context(), "192.0.2.1") // TEST-NET-1: no host has this address
	require.ErrorContains(t, err, "find a free port on 192.0.2.1: ")
}
