package dev

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// actAs makes this test binary run as one of the processes that the tests start.
const actAs = "WINDLASS_DEV_TEST_ACT_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(actAs) {
	case "":
		os.Exit(m.Run())
	case "server":
		serveUntil(syscall.SIGTERM)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		serveUntil(syscall.SIGUSR1)
	case "broken":
		fmt.Println("the disk is on fire")
		os.Exit(3)
	case "parent":
		actAsParent()
	}
}

// serveUntil answers /readyz on the address in the first argument until the signal comes.
func serveUntil(sig os.Signal) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, sig)
	l, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	go func() { _ = http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) }()
	<-stop
}

// actAsParent supervises a server, as windlass dev does, until it is killed.
func actAsParent() {
	c := newChild(serverSpec("server", os.Args[1]), os.Args[2], func(string, ...any) {}, func() {})
	go c.run()
	if err := c.awaitReady(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(c.pid.Load())
	<-c.stopped
}

func serverSpec(mode, address string) spec {
	grace := 10 * time.Second
	if mode == "stubborn" {
		grace = 300 * time.Millisecond
	}
	return spec{
		name: "server", title: "The server", args: []string{os.Args[0], address},
		env: append(os.Environ(), actAs+"="+mode), ready: "http://" + address + "/readyz", grace: grace,
	}
}

// lines collects log lines.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf(format, args...))
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

func startChild(t *testing.T, mode string) (*child, *lines) {
	t.Helper()
	address, err := freeAddress(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	said := &lines{}
	c := newChild(serverSpec(mode, address), filepath.Join(t.TempDir(), "server.log"), said.say, func() {})
	go c.run()
	t.Cleanup(c.halt)
	return c, said
}

// gone reports whether the process has ended. A zombie has ended, too.
func gone(pid int64) func() bool {
	return func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}
}

func TestChild_isStartedAgainAfterSIGKILL(t *testing.T) {
	c, said := startChild(t, "server")
	require.NoError(t, c.awaitReady(t.Context()))
	first := c.pid.Load()
	require.NoError(t, syscall.Kill(int(first), syscall.SIGKILL))
	require.Eventually(t, func() bool { return c.pid.Load() != first && c.pid.Load() != 0 }, time.Minute,
		10*time.Millisecond)
	require.NoError(t, c.awaitReady(t.Context()))
	assert.Contains(t, said.String(), "The server has ended (signal: killed) and is started again in 200ms; see ")
}

func TestChild_endsOnSIGTERMAndIsNotStartedAgain(t *testing.T) {
	c, said := startChild(t, "server")
	require.NoError(t, c.awaitReady(t.Context()))
	pid := c.pid.Load()
	c.halt()
	assert.True(t, gone(pid)())
	assert.Zero(t, c.pid.Load())
	assert.Empty(t, said.String())
}

func TestChild_isKilledWhenItDoesNotHeedSIGTERM(t *testing.T) {
	c, said := startChild(t, "stubborn")
	require.NoError(t, c.awaitReady(t.Context()))
	pid := c.pid.Load()
	c.halt()
	assert.True(t, gone(pid)())
	assert.Equal(t, "The server did not stop within 300ms and is killed.", said.String())
}

func TestChild_thatNeverStartsIsGivenUpWithTheEndOfItsLog(t *testing.T) {
	c, _ := startChild(t, "broken")
	err := c.awaitReady(t.Context())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "The server does not start; the end of ")
	assert.Contains(t, err.Error(), "the disk is on fire")
}

func TestChild_doesNotOutliveAParentThatIsKilled(t *testing.T) {
	address, err := freeAddress(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	parent := exec.CommandContext(t.Context(), os.Args[0], address, filepath.Join(t.TempDir(), "server.log"))
	parent.Env = append(os.Environ(), actAs+"=parent")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	text := make([]byte, 64)
	n, err := out.Read(text)
	require.NoError(t, err)
	pid, err := strconv.ParseInt(strings.TrimSpace(string(text[:n])), 10, 64)
	require.NoError(t, err, string(text[:n]))
	require.False(t, gone(pid)())

	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	assert.Eventually(t, gone(pid), time.Minute, 10*time.Millisecond)
}

func TestFreeAddress_saysWhichPortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = newTree(t.Context(), Options{
		StateDir: t.TempDir(), API: l.Addr().String(), Temporal: "127.0.0.1:0", UI: "nowhere",
	})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "--api: "+l.Addr().String()+" is in use by another process")
	assert.Contains(t, err.Error(), `--ui: must be an address like 127.0.0.1:9890, not "nowhere"`)
}

func TestStateDir_isForOneTreeAtATime(t *testing.T) {
	opts := Options{StateDir: t.TempDir(), API: "127.0.0.1:0", Temporal: "127.0.0.1:0", UI: "127.0.0.1:0"}
	first, err := newTree(t.Context(), opts)
	require.NoError(t, err)
	_, err = newTree(t.Context(), opts)
	require.Error(t, err)
	assert.Contains(t, err.Error(), fmt.Sprintf("Another windlass dev, process %d, uses %s;", os.Getpid(), opts.StateDir))
	first.close()
	again, err := newTree(t.Context(), opts)
	require.NoError(t, err)
	again.close()
}

func TestHashSource_changesWithTheSourceButNotWithItsTests(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		sum, err := hashSource(dir)
		require.NoError(t, err)
		return sum
	}
	first := write("main.go", "package main")
	assert.Len(t, first, 12)
	assert.Equal(t, first, write("main_test.go", "package main"))
	assert.NotEqual(t, first, write("go.sum", "x"))
}

func TestEnvFile_isQuotedForShells(t *testing.T) {
	tr := &tree{opts: Options{StateDir: t.TempDir(), Env: []string{"WINDLASS_X=it's"}}}
	require.NoError(t, tr.writeEnv())
	out, err := exec.CommandContext(t.Context(), "sh", "-c", ". "+tr.envFile()+"; printf %s \"$WINDLASS_X\"").Output()
	require.NoError(t, err)
	assert.Equal(t, "it's", string(out))
}
