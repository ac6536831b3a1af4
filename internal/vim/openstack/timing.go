package openstack

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// timing is how patient the driver is with a cloud.
type timing struct {
	// call bounds one HTTP call; what takes longer in OpenStack is asynchronous there.
	call time.Duration
	// first and last are the pauses between two looks at something under way: short at first, for what is quick,
	// and in the end at most last.
	first, last time.Duration
	// settle is how long Heat may still show the end of an earlier action after it has taken the next one.
	settle time.Duration
	// patience is for how long a cloud that does not answer is asked again while something is under way in it.
	patience time.Duration
}

func defaultTiming() timing {
	return timing{
		call: time.Minute, first: 50 * time.Millisecond, last: 5 * time.Second, settle: 10 * time.Second,
		patience: time.Minute,
	}
}

// share is the part of the time that has passed which the next pause may take: what ends is noticed late by that much.
const share = 20

// pause is the time to the next look at something that is under way since that long.
func (t timing) pause(since time.Duration) time.Duration {
	return max(t.first, min(since/share, t.last))
}

// timingOf reads what a VIM's extra says about its cloud, in seconds.
func timingOf(vim lcm.Vim) (timing, error) {
	t := defaultTiming()
	for key, to := range map[string]*time.Duration{
		"call_timeout": &t.call, "poll_interval": &t.last,
		"outage_patience": &t.patience,
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

// perLook spaces the looks of all that wait for the same cloud: together they are no more than 100 a second.
const perLook = 10 * time.Millisecond

// next is the time to the next look at what is under way since begun, given that so many wait.
func (t timing) next(begun time.Time, waiting int64) time.Duration {
	return max(t.pause(time.Since(begun)), time.Duration(waiting)*perLook)
}

// until looks again and again, until done says so, fails, or ctx ends. A cloud that does not answer is given
// some patience.
func (c *Cloud) until(ctx context.Context, done func() (bool, error)) error {
	begun, away := time.Now(), time.Time{}
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
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
		case <-time.After(max(c.timing.next(begun, c.waiting.Load()), retryAfter(err))):
		}
	}
}
