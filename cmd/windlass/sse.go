package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// reconnectAfter is the pause before a broken event stream is opened again.
const reconnectAfter = time.Second

// eventStream follows the events of an operation, and signals on Changed that something has happened. The details are
// read from the steps: there may be many events, and a broken stream must not lose any.
type eventStream struct {
	client  *apiClient
	path    string
	Changed chan struct{}
	lastID  string
}

// followEvents opens the stream of that operation; it is opened again whenever it breaks, until ctx ends.
func followEvents(ctx context.Context, c *apiClient, id string) *eventStream {
	s := &eventStream{client: c, path: c.base + progressPath + "/" + id + "/events", Changed: make(chan struct{}, 1)}
	go s.run(ctx)
	return s
}

func (s *eventStream) run(ctx context.Context) {
	for ctx.Err() == nil {
		s.read(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(reconnectAfter):
		}
	}
}

func (s *eventStream) read(ctx context.Context) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.path, nil)
	if err != nil {
		return
	}
	req.Header.Set("Accept", "text/event-stream")
	if s.lastID != "" {
		req.Header.Set("Last-Event-ID", s.lastID)
	}
	resp, err := s.client.http.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		s.parse(resp.Body)
	}
}

// parse reads "id: N", "event: T" and "data: ..." lines; an empty line ends an event.
func (s *eventStream) parse(r io.Reader) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if id, found := strings.CutPrefix(line, "id:"); found {
			s.lastID = strings.TrimSpace(id)
		}
		if line != "" {
			continue
		}
		select {
		case s.Changed <- struct{}{}:
		default: // a pending signal says the same
		}
	}
}
