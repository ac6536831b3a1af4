package store

import "time"

// SetSlowPoll lets a test rule out that a waiter was woken by the poll, or see that it is.
func (s *Store) SetSlowPoll(d time.Duration) { s.slowPoll = d }

// Waiters tells how many calls of WaitEvents are waiting.
func (s *Store) Waiters() (n int) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for _, waiters := range s.hub.waiters {
		n += len(waiters)
	}
	return n
}
