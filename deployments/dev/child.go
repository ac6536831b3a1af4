package dev

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// The pauses before an ended child is started again. After a long enough run they begin with the shortest one again.
const (
	firstPause  = 200 * time.Millisecond
	longestTime = 10 * time.Second
	steadyAfter = 30 * time.Second
)

// failedStarts is how often a child may end before it was ever ready, until the whole start is given up.
const failedStarts = 3

// longestStart is more than a slow machine needs, and less than a person waits.
const longestStart = 2 * time.Minute

// spec describes a child process.
type spec struct {
	name  string // of the log file and in dev.json
	title string // for people
	args  []string
	env   []string
	ready string // URL that answers 200 when the child can be used
	grace time.Duration
}

// child is a process that is started again when it ends.
type child struct {
	spec    spec
	logFile string
	say     func(format string, args ...any)
	changed func() // called when pid has changed

	pid     atomic.Int64
	ends    atomic.Int64 // how often it ended by itself
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

func newChild(s spec, logFile string, say func(string, ...any), changed func()) *child {
	_ = os.Rename(logFile, logFile+".old") // what the former run wrote
	return &child{
		spec: s, logFile: logFile, say: say, changed: changed, stop: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// halt stops the child and waits for its end.
func (c *child) halt() {
	c.once.Do(func() { close(c.stop) })
	<-c.stopped
}

// run keeps the child running until halt.
func (c *child) run() {
	defer close(c.stopped)
	pause := firstPause
	for {
		begun := time.Now()
		how := c.runOnce()
		select {
		case <-c.stop:
			return
		default:
		}
		c.ends.Add(1)
		if time.Since(begun) > steadyAfter {
			pause = firstPause
		}
		c.say("%s has ended (%s) and is started again in %s; see %s.", c.spec.title, how, pause, c.logFile)
		select {
		case <-c.stop:
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longestTime)
	}
}

// runOnce starts the process and waits for its end. If the child is stopped, runOnce ends the process. It returns how
// the process ended.
func (c *child) runOnce() string {
	log, err := os.OpenFile(c.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err.Error()
	}
	defer log.Close()
	// Not of a context: the end is brought about in order, by signals.
	cmd := exec.Command(c.spec.args[0], c.spec.args[1:]...) //nolint:gosec,noctx // our own binaries
	cmd.Env, cmd.Stdout, cmd.Stderr = c.spec.env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:   true,            // Ctrl-C in a terminal reaches us alone
		Pdeathsig: syscall.SIGKILL, // nothing is left when we are killed; all of them survive that
	}
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		// Pdeathsig is sent when the thread that forked ends: it must live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // ProcessState tells
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return err.Error()
	}
	c.setPid(cmd.Process.Pid)
	defer c.setPid(0)
	select {
	case <-ended:
	case <-c.stop:
		c.end(cmd.Process, ended)
	}
	return cmd.ProcessState.String()
}

func (c *child) setPid(pid int) {
	c.pid.Store(int64(pid))
	c.changed()
}

// end asks the process to end, and kills it with all it has started when it does not.
func (c *child) end(p *os.Process, ended <-chan struct{}) {
	_ = p.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(c.spec.grace):
		c.say("%s did not stop within %s and is killed.", c.spec.title, c.spec.grace)
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
		<-ended
	}
}

// awaitReady returns when the child answers. It gives up if the child ends again and again, or never answers.
func (c *child) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestStart)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if answers(ctx, c.spec.ready) {
			return nil
		}
		if c.ends.Load() >= failedStarts {
			return lcm.Errorf(lcm.KindBroken, "%s does not start; the end of %s says:\n%s", c.spec.title, c.logFile,
				tail(c.logFile))
		}
		select {
		case <-ctx.Done():
			return lcm.Wrap(lcm.KindUnavailable, ctx.Err(), "%s does not answer at %s; the end of %s says:\n%s",
				c.spec.title, c.spec.ready, c.logFile, tail(c.logFile))
		case <-tick.C:
		}
	}
}

// answers tells whether a GET of url is answered with 200.
func answers(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
