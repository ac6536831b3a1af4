// Package jobs runs jobs side by side, each after those that it needs, and tells at least every ten seconds what is
// done, what runs and what is left. The demo and the build of the lab's image use it.
package jobs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// Job is a part of the work.
type Job struct {
	// Title names the result, e.g. "etcd".
	Title string
	// After are the jobs whose results this job needs. They are in the same list.
	After []*Job
	// Lane is set for jobs that keep every processor busy. One job of a lane runs at a time, in the order of the list:
	// compilers side by side are hardly faster than one after the other, need the memory of all, and make twice what they
	// have in common.
	Lane string
	// Run does the job. It calls now with what it does at the moment, for people who watch.
	Run func(ctx context.Context, now Now) error
}

// Now takes a short text about what a job does at the moment, e.g. "120 of 800 packages".
type Now func(format string, args ...any)

// quiet is the longest time without a line.
const quiet = 8 * time.Second

// Run runs all jobs. If one fails, the context of the others ends, and Run returns the first error when all have ended.
func Run(ctx context.Context, out io.Writer, list []*Job) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := newBoard(out, list, time.Now)
	ended := make(chan end)
	for running := 0; ; {
		for j := b.next(); j != nil && b.err == nil && ctx.Err() == nil; j = b.next() {
			b.begin(j)
			running++
			go func() { ended <- end{j, j.Run(ctx, b.noter(j))} }()
		}
		if running == 0 {
			return b.result(ctx)
		}
		select {
		case e := <-ended:
			running--
			b.finish(e.job, e.err)
			if e.err != nil {
				cancel()
			}
		case <-time.After(b.untilNextLine()):
			b.look()
		}
	}
}

// end is how a job ended.
type end struct {
	job *Job
	err error
}

// next returns the first job that can begin now, or nil.
func (b *board) next() *Job {
	for _, j := range b.list {
		if b.state[j] == waiting && !b.busy(j.Lane) && !slices.ContainsFunc(j.After, b.unfinished) {
			return j
		}
	}
	return nil
}

func (b *board) busy(lane string) bool {
	return lane != "" && slices.ContainsFunc(b.list, func(j *Job) bool { return j.Lane == lane && b.state[j] == running })
}

func (b *board) unfinished(j *Job) bool { return b.state[j] != done }

// result is the error of Run when no job runs any more.
func (b *board) result(ctx context.Context) error {
	if b.err != nil {
		return b.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if i := slices.IndexFunc(b.list, b.unfinished); i >= 0 {
		return fmt.Errorf("%s needs a job that is not in the list or needs itself", b.list[i].Title)
	}
	return nil
}
