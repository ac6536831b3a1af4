package main

import (
	"fmt"
	"strings"
	"time"
)

// retry tells how it stands with work that did not succeed at its first attempt.
type retry struct {
	// Attempt has failed, or is under way if there is no Next.
	Attempt  int        `json:"attempt"`
	Attempts int        `json:"attempts"`
	Next     *time.Time `json:"nextAttemptAt"`
	Error    *apiError  `json:"error"`
}

// count is the number of the attempt, "6 of 10".
func (r *retry) count() string {
	if r.Attempts == 0 {
		return fmt.Sprint(r.Attempt)
	}
	return fmt.Sprintf("%d of %d", r.Attempt, r.Attempts)
}

// failed is the number of the last attempt that has failed.
func (r *retry) failed() int {
	switch {
	case r == nil:
		return 0
	case r.Next == nil:
		return r.Attempt - 1
	default:
		return r.Attempt
	}
}

// line tells of the attempt that has failed, where, why, and when it is tried again.
func (r *retry) line(now time.Time, on, cause string) string {
	failed := *r
	failed.Attempt = r.failed()
	text := "attempt " + failed.count() + " failed" + on + ": " + cause
	if r.Next != nil {
		text = strings.TrimSuffix(text, ".") + ". Next try " + r.in(now) + "."
	}
	return text
}

// said is the last error, after the time of the next attempt if that is known.
func (r *retry) said(when string) string {
	if r == nil || r.Error == nil {
		return ""
	}
	if when != "" {
		return "Next try " + when + ": " + r.Error.Detail
	}
	return r.Error.Detail
}

// at is the time of the next attempt, for what is printed once; "" while an attempt is under way.
func (r *retry) at() string {
	if r == nil || r.Next == nil {
		return ""
	}
	return "at " + r.Next.UTC().Format("15:04:05Z")
}

// in is how long it is until the next attempt.
func (r *retry) in(now time.Time) string {
	if r == nil || r.Next == nil {
		return ""
	}
	return "in " + max(0, r.Next.Sub(now)).Round(time.Second).String()
}
