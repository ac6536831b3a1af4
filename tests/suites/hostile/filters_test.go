package hostile

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/internal/pgtest"
)

// fill creates ten thousand instances with some metadata.
func fill(t *testing.T, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `
		insert into vnf_pkg (id, onboarding_state, operational_state, vnfd_id, provider, product_name, software_version,
			vnfd_version, checksum_algo, checksum, project_id)
		values ('package', 'ONBOARDED', 'ENABLED', 'vnfd', 'Windlass', 'Cluster', '1.0', '1.0', 'SHA-256', '', 'default');
		insert into vnf_instance (id, name, description, vnfd_id, vnf_pkg_id, provider, product_name, software_version,
			vnfd_version, instantiation_state, project_id, metadata)
		select gen_random_uuid()::text, 'many-' || n, '', 'vnfd', 'package', 'Windlass', 'Cluster', '1.0', '1.0',
			'NOT_INSTANTIATED', 'default', jsonb_build_object('k', repeat('0123456789', 30) || n)
		from generate_series(1, 10000) n`)
	require.NoError(t, err)
}

// costly are the costliest filters that Windlass takes: 20 expressions, or 100 values.
func costly() []string {
	values, many := make([]string, 100), make([]string, 20)
	for i := range values {
		values[i] = fmt.Sprintf("no-such-value-%d", i)
	}
	for i := range many {
		many[i] = fmt.Sprintf("(ncont,metadata/k,no-such-value-%d)", i)
	}
	return []string{
		"(cont,metadata/k," + strings.Join(values, ",") + ")", "(cont,vnfInstanceName," + strings.Join(values, ",") + ")",
		strings.Join(many, ";"),
	}
}

// TestFilters_ofAReaderStopNobody sends more costly filters at once than the server has connections to PostgreSQL, and
// meanwhile the requests of others, and of a load balancer.
func TestFilters_ofAReaderStopNobody(t *testing.T) {
	database := pgtest.URL(t)
	a := serveOn(t, database, func(*apiserver.Options) {})
	fill(t, database)
	version := http.Header{"Version": {"2.0.0"}}
	list := func(filter string) string { return "/vnflcm/v2/vnf_instances?filter=" + url.QueryEscape(filter) }

	values := strings.Repeat(",v", 101)
	for _, tooMuch := range []string{"(cont,metadata/k" + values + ")", strings.Repeat("(eq,metadata/k,v);", 21) + "(eq,metadata/k,v)"} {
		status, err := a.get(t.Context(), list(tooMuch), version)
		require.NoError(t, err)
		require.Equal(t, http.StatusBadRequest, status)
	}

	ctx, over := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	var begun atomic.Int64
	for i := range 36 {
		readers.Go(func() {
			for filters := costly(); ctx.Err() == nil; {
				begun.Add(1)
				status, err := a.get(ctx, list(filters[i%len(filters)]), version)
				if ctx.Err() == nil && assert.NoError(t, err) { // it is answered, or told that it took too long
					assert.Contains(t, []int{
						http.StatusOK, http.StatusServiceUnavailable, http.StatusTooManyRequests,
					}, status)
				}
			}
		})
	}
	require.Eventually(t, func() bool { return begun.Load() >= 36 }, time.Minute, time.Millisecond)
	for range 5 {
		for _, path := range []string{"/readyz", "/vnflcm/v2/vnf_lcm_op_occs", "/windlass/v1/version"} {
			since := time.Now()
			status, err := a.get(t.Context(), path, version)
			require.NoError(t, err)
			assert.Equal(t, http.StatusOK, status, path)
			assert.Less(t, time.Since(since), 10*time.Second, "%s: others do not wait for the filters", path)
		}
	}
	over()
	readers.Wait()
}
