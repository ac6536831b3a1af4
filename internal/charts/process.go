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
	// childName is what this program is called when it is to render one chart.
	childName = "windlass-chart"
	// timeLimit is the processor's time that a chart may take; waitLimit is for a host that is busy with other things.
	timeLimit = 5 * time.Second
	waitLimit = time.Minute
	// memoryLimit is what a chart may take on top of the program.
	memoryLimit = 512 << 20
	// largestAnswer is of a size that no release can have: Kubernetes keeps it in one Secret.
	largestAnswer = 16 << 20
	// unconfined is how the process ends when it cannot be bounded.
	unconfined = 3
)

// This program renders a chart when it is called so, and does nothing else: whatever links this package can be asked.
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
		a = answer{Problem: sentence(err)}
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// atOnce bounds how many charts are rendered at the same time.
var atOnce = make(chan struct{}, max(2, runtime.NumCPU()))

// inProcess lets a process do the job, and returns what it says.
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
		return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s takes longer to render than the %s that it may.",
			name, timeLimit)
	default:
		return nil, lcm.Errorf(lcm.KindInvalid, "The chart of the release %s could not be rendered: it may need more than "+
			"the %d MiB of memory that it may have, or calls itself without an end.", name, memoryLimit>>20)
	}
}

var errBusy = errors.New("the chart was not rendered in time")

// limited keeps what is written to it up to a size. The buffer is a field, for a reader would write to it itself.
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
