package jobs

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sleeper is a job that takes some time, and notes when it ran.
func sleeper(title string, takes time.Duration, after ...*Job) *Job {
	return &Job{Title: title, After: after, Run: func(ctx context.Context, _ Now) error {
		select {
		case <-time.After(takes):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

func TestRun_runsSideBySideWhatNeedsNothingAndInOrderWhatDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		a, b := sleeper("a", 3*time.Second), sleeper("b", 5*time.Second)
		c := sleeper("c", 2*time.Second, a, b)
		require.NoError(t, Run(t.Context(), &bytes.Buffer{}, []*Job{a, b, c}))
		assert.Equal(t, 7*time.Second, time.Since(began))
	})
}

func TestRun_runsOneJobOfALaneAtATimeInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		inLane := func(title string, after ...*Job) *Job {
			j := sleeper(title, 4*time.Second, after...)
			run := j.Run
			j.Lane, j.Run = "compiler", func(ctx context.Context, now Now) error {
				mu.Lock()
				order = append(order, title)
				mu.Unlock()
				return run(ctx, now)
			}
			return j
		}
		began, late := time.Now(), sleeper("late", time.Second)
		other := sleeper("of another lane", 12*time.Second)
		other.Lane = "other"
		list := []*Job{late, inLane("needs late", late), inLane("first"), inLane("second"), other}
		require.NoError(t, Run(t.Context(), &bytes.Buffer{}, list))
		assert.Equal(t, []string{"first", "needs late", "second"}, order)
		assert.Equal(t, 12*time.Second, time.Since(began))
	})
}

func TestRun_tellsAtLeastEveryTenSecondsWhatIsDoneAndLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &timed{}
		slow := sleeper("Kubernetes", time.Minute)
		run := slow.Run
		slow.Run = func(ctx context.Context, now Now) error {
			now("%d of %d packages", 3, 80)
			return run(ctx, now)
		}
		fast := sleeper("etcd", 2*time.Second)
		require.NoError(t, Run(t.Context(), out, []*Job{slow, fast, sleeper("node layer", time.Second, slow)}))
		assert.LessOrEqual(t, out.longest, 10*time.Second)
		lines := strings.Split(out.String(), "\n")
		assert.Equal(t, " 0:02  1 of 3  etcd: done in 2 s", lines[0])
		assert.Equal(t, " 0:10  1 of 3  now Kubernetes (3 of 80 packages); then node layer", lines[1])
		for _, line := range lines {
			assert.LessOrEqual(t, len(line), 120)
		}
	})
}

// timed is a writer that notes the longest time without a line.
type timed struct {
	bytes.Buffer
	last    time.Time
	longest time.Duration
}

func (w *timed) Write(p []byte) (int, error) {
	if !w.last.IsZero() {
		w.longest = max(w.longest, time.Since(w.last))
	}
	w.last = time.Now()
	return w.Buffer.Write(p)
}

func TestRun_stopsTheOthersWhenOneFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no space left")
		began := time.Now()
		fails := &Job{Title: "fails", Run: func(context.Context, Now) error { return broken }}
		never := &Job{Title: "never", After: []*Job{fails}, Run: func(context.Context, Now) error {
			t.Error("a job has run whose results it needs are missing")
			return nil
		}}
		err := Run(t.Context(), &bytes.Buffer{}, []*Job{fails, sleeper("long", time.Hour), never})
		require.ErrorIs(t, err, broken)
		assert.Less(t, time.Since(began), time.Minute)
	})
}

func TestRun_saysThatAJobCanNeverBegin(t *testing.T) {
	stranger := sleeper("not in the list", 0)
	err := Run(t.Context(), &bytes.Buffer{}, []*Job{sleeper("a", 0), sleeper("b", 0, stranger)})
	require.ErrorContains(t, err, "b needs a job that is not in the list")
}

func TestRun_endsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Run(ctx, &bytes.Buffer{}, []*Job{sleeper("a", time.Hour)}), context.Canceled)
}

func TestJoin_countsWhatHasNoRoom(t *testing.T) {
	assert.Equal(t, "one", join([]string{"one"}, 3))
	assert.Equal(t, "one, two and 2 more", join([]string{"one", "two", "three", "four"}, 9))
}
