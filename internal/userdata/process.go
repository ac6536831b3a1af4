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
)

// childName is what this program is called when it is to confine itself and become Python.
const childName = "windlass-user-data"

// startLimit bounds how long Python takes to start, on a busy host with cold caches.
const startLimit = 2 * time.Minute

// profile is what of Windlass runs in a process, and what that may do.
type profile struct {
	name, runner string
	// network lets it make connections.
	network bool
	// dies ends it with the worker.
	dies bool
}

// The profiles: user data classes, and scripts at hooks.
var (
	ofUserData    = profile{runner: "runner.py"}
	ofScript      = profile{name: "script", runner: "script.py", dies: true}
	ofNetworkUser = profile{name: "script-with-network", runner: "script.py", dies: true, network: true}
)

// profileOf is the one that a child is started with. One that is unknown may do least.
func profileOf(args []string) profile {
	for _, p := range []profile{ofScript, ofNetworkUser} {
		if len(args) > 3 && args[3] == p.name {
			return p
		}
	}
	return ofUserData
}

// job is one process: what it is told, and how long it may take. What it prints goes to lines, nil for nowhere.
type job struct {
	profile

	what  string // as a sentence begins
	input []byte
	limit time.Duration
	// setting gives it more time.
	setting string
	lines   func(line string)
}

// process runs the script in a confined process and returns what its runner has said.
func (r *Runner) process(ctx context.Context, dir string, j job) ([]byte, error) {
	if j.dies { // the kernel ends the child with the thread that has made it
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	interpreter, err := exec.LookPath(r.Python)
	if err == nil {
		interpreter, err = filepath.Abs(interpreter)
	}
	if err == nil {
		interpreter, err = filepath.EvalSymlinks(interpreter)
	}
	if err != nil {
		return nil, unable(err, "there is no Python at "+r.Python)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(startLimit, func() { cancel(errSlowStart) })
	defer timer.Stop()
	child := exec.CommandContext(ctx, "/proc/self/exe")
	child.Args = []string{childName, interpreter, dir}
	if j.name != "" {
		child.Args = append(child.Args, j.name)
	}
	child.Env = []string{"LANG=C.UTF-8"}
	child.Dir = filepath.Join(dir, "package")
	child.WaitDelay = 10 * time.Second
	var complaint limited // of the child before it is Python
	child.Stderr = &complaint
	if j.lines != nil {
		said := &lineWriter{to: j.lines}
		defer said.end()
		child.Stderr = io.MultiWriter(&complaint, said)
	}
	stdin, err1 := child.StdinPipe()
	stdout, err2 := child.StdoutPipe()
	if err := errors.Join(err1, err2, child.Start()); err != nil {
		return nil, unable(err, "the process could not be started")
	}
	out := bufio.NewReader(stdout)
	if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
		cancel(nil)
		_ = child.Wait()
		if cause := context.Cause(ctx); errors.Is(cause, errSlowStart) {
			return nil, unable(cause, "Python took more than "+startLimit.String()+" to start")
		}
		return nil, unable(err, complaint.sentence())
	}
	timer.Stop()
	limit := j.limit
	if err := bound(child.Process.Pid, limit); err != nil {
		cancel(nil)
		_ = child.Wait()
		return nil, unable(err, "its time and memory cannot be bounded")
	}
	defer time.AfterFunc(limit, func() { cancel(errSlow) }).Stop()
	go func() {
		_, _ = stdin.Write(j.input) // a script that does not read has ended: told below
		_ = stdin.Close()
	}()
	answer, err := io.ReadAll(io.LimitReader(out, largestAnswer+1))
	if len(answer) > largestAnswer {
		cancel(nil)
	}
	ended := child.Wait()
	switch {
	case errors.Is(context.Cause(ctx), errSlow) || overTime(ended):
		return nil, lcm.Errorf(lcm.KindInvalid,
			"%s was stopped: it ran longer than the %s that it may take (%s).", j.what, limit, j.setting)
	case len(answer) > largestAnswer:
		return nil, lcm.Errorf(lcm.KindInvalid,
			"%s was stopped: it has made more than %d MiB of parameters and templates.", j.what, largestAnswer>>20)
	case ctx.Err() != nil:
		return nil, lcm.Wrap(lcm.KindUnavailable, context.Cause(ctx), "%s was stopped with the worker.", j.what)
	case ended != nil || err != nil:
		return nil, lcm.Wrap(lcm.KindInvalid, errors.Join(ended, err), "%s has ended without an answer "+
			"(%s). It may need more than the %d MiB of memory that it may have.",
			j.what, ended, memoryLimit>>20)
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

// unable says that this host runs no script.
func unable(err error, why string) error {
	return lcm.Wrap(lcm.KindUnavailable, err, "The user data script could not be run: %s. See userData.python.",
		strings.TrimSuffix(why, "."))
}

// limited keeps the beginning of what is written to it.
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

// IsChild tells whether this process was started to confine itself and become Python; main then calls Confine and
// nothing else.
func IsChild() bool { return len(os.Args) >= 3 && os.Args[0] == childName }
