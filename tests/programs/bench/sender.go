package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// clientsAtOnce is the number of clients when the rate of answers is measured. For the time of an answer there is
	// one client.
	clientsAtOnce = 8
	// enough is the longest time for one kind of request, with one client and with several.
	enough = 8 * time.Second
)

// question is one kind of request that the benchmark repeats.
type question struct {
	name   string
	method string
	// path and body return those of the n-th request. body may be nil.
	path func(n int) string
	body func(n int) any
	// status is the only right status. heard, if it is not nil, checks every answer.
	status int
	heard  func(header http.Header, body []byte) error
	// alone and together are the greatest numbers of requests of one client and of several.
	alone, together int
}

// answered is how fast the API has answered one kind of request.
type answered struct {
	p50, p99 time.Duration // of one client's requests
	rate     float64       // requests a second of several clients
}

// sender sends requests over connections that stay open.
type sender struct {
	base   string
	client *http.Client
}

func newSender(base string) *sender {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 2 * clientsAtOnce
	return &sender{base, &http.Client{Transport: transport}}
}

// measure sends the requests with one client, then with several. The first requests do not count, because caches and
// the database's plans are cold.
func (s *sender) measure(ctx context.Context, q question) (answered, error) {
	var numbers atomic.Int64 // where this matters, no two requests are the same
	next := func() int { return int(numbers.Add(1)) - 1 }
	for range 5 {
		if _, err := s.ask(ctx, q, next()); err != nil {
			return answered{}, err
		}
	}
	alone, _, err := s.load(ctx, q, 1, q.alone, next)
	if err != nil {
		return answered{}, err
	}
	together, took, err := s.load(ctx, q, clientsAtOnce, q.together, next)
	if err != nil {
		return answered{}, err
	}
	return answered{p50: percentile(alone, 50), p99: percentile(alone, 99), rate: float64(len(together)) / took.Seconds()},
		nil
}

// load sends count requests with several clients, or fewer if the time is over.
func (s *sender) load(
	ctx context.Context, q question, clients, count int, next func() int,
) (times []time.Duration, took time.Duration, err error) {
	var mu sync.Mutex
	left := count
	began := time.Now()
	more := func() bool {
		mu.Lock()
		defer mu.Unlock()
		left--
		return left >= 0 && time.Since(began) < enough
	}
	g, ctx := errgroup.WithContext(ctx)
	for range clients {
		g.Go(func() error {
			for more() {
				one, err := s.ask(ctx, q, next())
				if err != nil {
					return err
				}
				mu.Lock()
				times = append(times, one)
				mu.Unlock()
			}
			return nil
		})
	}
	err = g.Wait()
	return times, time.Since(began), err
}

// ask sends the n-th request and reads the whole answer.
func (s *sender) ask(ctx context.Context, q question, n int) (time.Duration, error) {
	var body io.Reader
	if q.body != nil {
		data, err := json.Marshal(q.body(n))
		if err != nil {
			return 0, err
		}
		body = bytes.NewReader(data)
	}
	path := q.path(n)
	req, err := http.NewRequestWithContext(ctx, q.method, s.base+path, body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Version", versionOf(path))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	res, err := s.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	took := time.Since(began)
	if err == nil && res.StatusCode != q.status {
		err = fmt.Errorf("%s %s: %s: %s", q.method, path, res.Status, data)
	}
	if err == nil && q.heard != nil {
		err = q.heard(res.Header, data)
	}
	return took, err
}

func versionOf(path string) string {
	if strings.HasPrefix(path, "/vnflcm/v2/") {
		return "2.0.0"
	}
	return "1.3.0"
}

// percentile returns the smallest time that this percentage of the times does not exceed.
func percentile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min((len(sorted)*percent+99)/100, len(sorted))-1]
}
