package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// Load counts the pending work, for the metrics.
func (s *Store) Load(ctx context.Context) (telemetry.Load, error) {
	var inFlight, slow, notifications json.RawMessage
	err := s.pool.QueryRow(ctx, `
		select
			(select coalesce(jsonb_object_agg(operation, states), '{}') from (
				select operation, jsonb_object_agg(state, n) as states from (
					select operation, state, count(*) as n from vnf_lcm_op_occ
					where state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK') group by 1, 2) each_state
				group by operation) each_operation),
			(select coalesce(jsonb_object_agg(operation, n), '{}') from (
				select operation, count(*) as n from slow_operation group by 1) each_slow),
			(select jsonb_build_object('n', count(*), 'seconds', coalesce(extract(epoch from clock_timestamp() - min(since)), 0))
				from delivery where not dead)`).Scan(&inFlight, &slow, &notifications)
	if err != nil {
		return telemetry.Load{}, interpret("count what there is to do", err)
	}
	return loadOf(inFlight, slow, notifications)
}

func loadOf(inFlight, slow, notifications []byte) (l telemetry.Load, err error) {
	var waiting struct {
		N       int     `json:"n"`
		Seconds float64 `json:"seconds"`
	}
	if err := errors.Join(json.Unmarshal(inFlight, &l.InFlight), json.Unmarshal(slow, &l.Slow), json.Unmarshal(notifications, &waiting)); err != nil {
		return l, interpret("count what there is to do", err)
	}
	l.Notifications, l.Oldest = waiting.N, time.Duration(waiting.Seconds*float64(time.Second))
	return l, nil
}
