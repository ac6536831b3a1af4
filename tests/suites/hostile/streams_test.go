package hostile

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// TestStreams_ofOneClientStopNobody opens as many streams of all events as one client may, while something happens all
// the time. Every stream gets all events, and the lists of others are answered as always.
func TestStreams_ofOneClientStopNobody(t *testing.T) {
	const streams, events = 256, 100
	database := pgtest.URL(t)
	a := serveOn(t, database, func(*apiserver.Options) {})
	fill(t, database)
	ctx, over := context.WithTimeout(t.Context(), 2*time.Minute)
	defer over()
	var open, ended sync.WaitGroup
	open.Add(streams)
	for range streams {
		ended.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+a.address+"/windlass/v1/events?after=0", nil)
			assert.NoError(t, err)
			resp, err := http.DefaultTransport.RoundTrip(req)
			open.Done()
			if !assert.NoError(t, err) {
				return
			}
			defer resp.Body.Close()
			assert.Equal(t, http.StatusOK, resp.StatusCode)
			seen := 0
			for lines := bufio.NewScanner(resp.Body); seen < events && lines.Scan(); {
				if strings.HasPrefix(lines.Text(), "event: drift") {
					seen++
				}
			}
			assert.Equal(t, events, seen)
		})
	}
	open.Wait()
	status, err := a.get(ctx, "/windlass/v1/events", http.Header{})
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, status, "one more")

	conn, err := pgx.Connect(ctx, database)
	require.NoError(t, err)
	defer conn.Close(ctx)
	var slowest time.Duration
	for n := range events {
		_, err := conn.Exec(ctx, `
			with told as (
				insert into event (vnf_instance_id, type, data) select id, 'drift', '{}' from vnf_instance where name = $1
				returning id)
			select pg_notify('windlass_event', id || ' ') from told`, fmt.Sprintf("many-%d", n+1))
		require.NoError(t, err)
		began := time.Now()
		status, err := a.get(ctx, "/vnflcm/v2/vnf_instances?filter=(eq,vnfInstanceName,many-7)", http.Header{"Version": {"2.0.0"}})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
		slowest = max(slowest, time.Since(began))
	}
	ended.Wait()
	t.Logf("slowest list beside %d streams and their events: %v", streams, slowest)
	require.Less(t, slowest, 5*time.Second)
}
