package charts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// childName is this program's argv[0] when it has to render one chart.
	childName = "windlass-chart"
	// timeLimit is the CPU time for a chart; waitLimit is the clock time, longer for a busy host.
	timeLimit = 5 * time.Second
	waitLimit = time.Minute
	// memoryLimit is the memory for a chart, in addition to the program's own.
	memoryLimit = 512 << 20
	// largestAnswer is larger than any release can be: Kubernetes stores a release in one Secret.
	largestAnswer = 16 << 20
	// unconfined is the exit code of a process that could not set its limits.
	unconfined = 3
)

// With this argv[0] the program renders a chart and does nothing else, so every program that links this package can do
// it.
func init() { //nolint:gochecknoinits // a test is a program as well, and there are many
	if len(os.Args) == 1 && os.Args[0] == childName {
		child()
	}
}

func child() {
	var a answer
	if confine() != nil {
		os.Exit(unconfined)
	}
	j, err := readJob(os.Stdin)
	if err == nil {
		a, err = render(j)
	}
	if err != nil {
		a = answer{Problem: sentence(err, j.Answers)}
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// atOnce bounds how many charts are rendered at the same time.
var atOnce = make(chan struct{}, max(2, runtime.NumCPU()))

// inProcess runs the job in a process, and returns its output.
func inProcess(ctx context.Context, name string, job []byte) ([]byte, error) {
	select {
	case atOnce <- struct{}{}:
		defer func() { <-atOnce }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, waitLimit, errBusy)
	defer cancel()
	program, err := self()
	if err != nil {
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The chart of the release %s could not be rendered.", name)
	}
	c := exec.CommandContext(ctx, program)
	c.Args, c.Env, c.Dir = []string{childName}, []string{"GOMAXPROCS=2"}, "/"
	c.Stdin, c.WaitDelay = bytes.NewReader(job), time.Second
	out := &limited{most: largestAnswer, full: cancel}
	c.Stdout = out
	err = c.Run()
	switch {
	case out.over:
		return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s makes more than %d MiB.", name, largestAnswer>>20)
	case err == nil:
		return out.kept.Bytes(), nil
	case errors.Is(context.Cause(ctx), errBusy):
		return nil, lcm.Errorf(lcm.KindUnavailable, "The chart of the release %s was not rendered within %s.", name, waitLimit)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case c.ProcessState == nil || c.ProcessState.ExitCode() == unconfined:
		return nil, lcm.Wrap(lcm.KindUnavailable, err, "The chart of the release %s could not be rendered.", name)
	case c.ProcessState.UserTime()+c.ProcessState.SystemTime() > timeLimit*9/10:
		return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s takes longer to render than the limit of "+
			"%s.", name, timeLimit)
	default:
		return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s could not be rendered: it may need more "+
			"memory than the limit of %d MiB, or call itself without an end.", name, memoryLimit>>20)
	}
}

var errBusy = errors.New("the chart was not rendered in time")

// limited keeps what is written to it, up to a size. The buffer is a field, because io.Copy would use the ReadFrom of
// an embedded buffer.
type limited struct {
	kept bytes.Buffer
	most int
	over bool
	full func() // is called once there is more
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.most - l.kept.Len(); len(p) > room {
		_, _ = l.kept.Write(p[:max(0, room)])
		if l.over = true; l.full != nil {
			l.full()
		}
		return len(p), nil
	}
	return l.kept.Write(p)
}
