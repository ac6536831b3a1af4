package userdata

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/ownnet"
)

// childName is this program's argv[0] when it has to confine itself and execute Python.
const childName = "windlass-user-data"

// startLimit bounds the time that Python takes to start, on a busy host with cold caches.
const startLimit = 2 * time.Minute

// profile is the Windlass runner in a process, with its rights.
type profile struct {
	name, runner string
	// network lets it make connections.
	network bool
	// dies ends the process with the worker.
	dies bool
}

// The profiles: user data classes, and scripts at hooks.
var (
	ofUserData    = profile{runner: "runner.py"}
	ofScript      = profile{name: "script", runner: "script.py", dies: true}
	ofNetworkUser = profile{name: "script-with-network", runner: "script.py", dies: true, network: true}
)

// profileOf is the profile of a child's arguments. An unknown profile has the fewest rights.
func profileOf(args []string) profile {
	for _, p := range []profile{ofScript, ofNetworkUser} {
		if len(args) > 3 && args[3] == p.name {
			return p
		}
	}
	return ofUserData
}

// job is the input and the limits of one process. lines gets the process's output; nil discards it.
type job struct {
	profile

	// reach says what a process with a network may connect to.
	reach ownnet.Policy
	what  string // the subject of a sentence
	input []byte
	limit time.Duration
	// setting names the setting that allows more time.
	setting string
	lines   func(line string)
}

// process runs the script in a confined process and returns its runner's output.
func (r *Runner) process(ctx context.Context, dir string, j job) ([]byte, error) {
	if j.dies { // the kernel ends the child together with the thread that started it
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	interpreter, err := r.interpreter()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := child{Cmd: exec.CommandContext(ctx, "/proc/self/exe"), job: j, stop: cancel}
	c.Args = []string{childName, interpreter, dir}
	if j.name != "" {
		c.Args = append(c.Args, j.name)
	}
	c.Dir = filepath.Join(dir, "package")
	if j.lines != nil {
		said := &lineWriter{to: j.lines}
		defer said.end()
		c.Stderr = said
	}
	c.disconnect = func() {}
	defer func() { c.disconnect() }()
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	return c.answer(ctx)
}

// interpreter is the file of Python, with links resolved.
func (r *Runner) interpreter() (string, error) {
	file, err := exec.LookPath(r.Python)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return "", unable(err, "there is no Python at "+r.Python)
	}
	return file, nil
}

// child is a process for one job.
type child struct {
	*exec.Cmd

	job   job
	stop  context.CancelCauseFunc
	stdin io.WriteCloser
	out   *bufio.Reader
	// network is the process's network, nil for none; disconnect ends it.
	network    *network
	disconnect func()
}

// begin starts the process, waits until it has executed Python, and limits it.
func (c *child) begin(ctx context.Context) error {
	timer := time.AfterFunc(startLimit, func() { c.stop(errSlowStart) })
	defer timer.Stop()
	c.Env = []string{"LANG=C.UTF-8"}
	c.WaitDelay = 10 * time.Second
	var complaint limited // from the child before it executes Python
	if c.Stderr == nil {
		c.Stderr = &complaint
	} else {
		c.Stderr = io.MultiWriter(&complaint, c.Stderr)
	}
	stdin, err1 := c.StdinPipe()
	stdout, err2 := c.StdoutPipe()
	err3 := c.isolate()
	if err := errors.Join(err1, err2, err3); err != nil {
		return unable(err, "the process could not be prepared")
	}
	if err := c.Start(); err != nil {
		return unable(err, "the process could not be started")
	}
	if err := c.connect(ctx); err != nil {
		c.end()
		if complaint.Len() == 0 { // the process could make its network
			return unable(err, "its network cannot be served: "+err.Error())
		}
		return unable(err, complaint.sentence())
	}
	c.stdin, c.out = stdin, bufio.NewReader(stdout)
	if line, err := c.out.ReadString('\n'); err != nil || line != "ready\n" {
		c.end()
		if cause := context.Cause(ctx); errors.Is(cause, errSlowStart) {
			return unable(cause, "Python took more than "+startLimit.String()+" to start")
		}
		return unable(err, complaint.sentence())
	}
	if err := bound(c.Process.Pid, c.job.limit); err != nil {
		c.end()
		return unable(err, "its time and memory cannot be limited")
	}
	return nil
}

func (c *child) end() {
	c.stop(nil)
	_ = c.Wait()
}

// answer sends the process its input, and reads its output.
func (c *child) answer(ctx context.Context) ([]byte, error) {
	defer time.AfterFunc(c.job.limit, func() { c.stop(errSlow) }).Stop()
	go func() {
		_, _ = c.stdin.Write(c.job.input) // a script that does not read has ended: reported below
		_ = c.stdin.Close()
	}()
	answer, err := io.ReadAll(io.LimitReader(c.out, largestAnswer+1))
	if len(answer) > largestAnswer {
		c.stop(nil)
	}
	ended := c.Wait()
	switch what := c.job.what; {
	case errors.Is(context.Cause(ctx), errSlow) || overTime(ended):
		return nil, lcm.Errorf(lcm.KindInvalid,
			"%s was stopped: it ran longer than its limit of %s (%s).", what, c.job.limit, c.job.setting)
	case len(answer) > largestAnswer:
		return nil, lcm.Errorf(lcm.KindInvalid,
			"%s was stopped: it has made more than %d MiB of parameters and templates.", what, largestAnswer>>20)
	case ctx.Err() != nil:
		return nil, lcm.Wrap(lcm.KindUnavailable, context.Cause(ctx), "%s was stopped with the worker.", what)
	case ended != nil || err != nil:
		return nil, lcm.Wrap(lcm.KindInvalid, errors.Join(ended, err), "%s has ended without an answer (%s). It may "+
			"need more than its limit of %d MiB of memory.", what, ended, memoryLimit>>20)
	}
	return answer, nil
}

var (
	errSlow      = errors.New("the time is up")
	errSlowStart = errors.New("python did not start in time")
)

func (r *Runner) limit() time.Duration {
	if r.Time > 0 {
		return r.Time
	}
	return DefaultTime
}

// unable is the error of a host that cannot run scripts.
func unable(err error, why string) error {
	return lcm.Wrap(lcm.KindUnavailable, err, "The user data script could not be run: %s. See userData.python.",
		strings.TrimSuffix(why, "."))
}

// limited keeps the beginning of its input.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	const most = 500
	if room := most - l.Len(); room > 0 {
		_, _ = l.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (l *limited) sentence() string {
	line, _, _ := strings.Cut(strings.TrimSpace(l.String()), "\n")
	if line == "" {
		return "Python has not started"
	}
	return strings.ToValidUTF8(line, "?")
}

// IsChild tells whether this process was started to confine itself and execute Python. If so, main must call Confine
// and nothing else.
func IsChild() bool { return len(os.Args) >= 3 && os.Args[0] == childName }
