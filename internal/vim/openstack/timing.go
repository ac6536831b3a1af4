package openstack

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// timing holds the time limits and pauses of the connector for a cloud.
type timing struct {
	// call limits one HTTP call; OpenStack does longer work asynchronously.
	call time.Duration
	// first and last are the shortest and the longest pause between two looks at work in progress. Pauses are short at
	// first, for quick work.
	first, last time.Duration
	// settle is how long Heat may still report the end of the last action after it has accepted the next one.
	settle time.Duration
	// patience is how long to retry a cloud that does not answer while work in it is in progress.
	patience time.Duration
}

func defaultTiming() timing {
	return timing{
		call: time.Minute, first: 50 * time.Millisecond, last: 5 * time.Second, settle: 10 * time.Second,
		patience: time.Minute,
	}
}

// share sets the next pause to 1/share of the elapsed time: the end of the work is noticed at most that much late.
const share = 20

// pause is the time until the next look at work that has been in progress for that long.
func (t timing) pause(since time.Duration) time.Duration {
	return max(t.first, min(since/share, t.last))
}

// timingOf reads what a VIM's extra says about its cloud, in seconds.
func timingOf(vim lcm.Vim) (timing, error) {
	t := defaultTiming()
	for key, to := range map[string]*time.Duration{
		"call_timeout": &t.call, "poll_interval": &t.last, "outage_patience": &t.patience,
	} {
		v, given := vim.Extra[key]
		if !given {
			continue
		}
		seconds, ok := number(v)
		if !ok || seconds <= 0 || seconds > 3600 {
			return t, lcm.Errorf(lcm.KindInvalid, "The VIM %s has an extra.%s that is no number of seconds up to 3600.",
				vim.Name, key)
		}
		*to = time.Duration(seconds * float64(time.Second))
	}
	t.first = min(t.first, t.last)
	return t, nil
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case int:
		return float64(x), true
	case json.Number:
		f, err := x.Float64()
		return f, err == nil
	case string:
		f, err := strconv.ParseFloat(x, 64)
		return f, err == nil
	default:
		return 0, false
	}
}

// perLook spaces the looks of all waiting calls at the same cloud: together they make at most 100 a second.
const perLook = 10 * time.Millisecond

// next is the time until the next look at work that began at begun, with that many waiting calls.
func (t timing) next(begun time.Time, waiting int64) time.Duration {
	return max(t.pause(time.Since(begun)), time.Duration(waiting)*perLook)
}

// until calls done again and again, until it returns true or an error, or ctx ends. It retries for some time when the
// cloud does not answer.
func (c *Cloud) until(ctx context.Context, done func() (bool, error)) error {
	return c.untilAmong(ctx, &c.waiting, done)
}

// untilAmong is until for a call that shares the looks at the cloud with those that this counter counts.
func (c *Cloud) untilAmong(ctx context.Context, waiting *atomic.Int64, done func() (bool, error)) error {
	begun, away := time.Now(), time.Time{}
	waiting.Add(1)
	defer waiting.Add(-1)
	for {
		ok, err := done()
		switch {
		case ok && err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			away = time.Time{}
		case !lcm.Is(err, lcm.KindUnavailable):
			return err
		case away.IsZero():
			away = time.Now()
		case time.Since(away) > c.timing.patience:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(c.timing.next(begun, waiting.Load()), retryAfter(err))):
		}
	}
}
