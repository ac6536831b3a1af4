package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Drift reads the stored data of an instance's checks. An instance that was never checked and has no policy of its own
// gets the default policy.
func (s *Store) Drift(ctx context.Context, id lcm.VnfInstanceID) (lcm.Drift, error) {
	return drift(ctx, s.pool, id, "")
}

// LastSeenWell is when an operation has last seen all parts of the instance work: the end of its last operation, if that
// is COMPLETED. A change of the record alone, without a grant, sees nothing. It is nil if nobody knows.
func (s *Store) LastSeenWell(ctx context.Context, id lcm.VnfInstanceID) (*time.Time, error) {
	seen, err := all(ctx, s.pool, pgx.RowTo[*time.Time], `
		select case when state = 'COMPLETED' then state_entered_time end from vnf_lcm_op_occ
		where vnf_instance_id = @id and operation <> all(@modify)
		order by start_time desc, id desc limit 1`, pgx.NamedArgs{"id": id, "modify": neverStarting})
	if err != nil || len(seen) == 0 {
		return nil, err
	}
	return seen[0], nil
}

func drift(ctx context.Context, q querier, id lcm.VnfInstanceID, lock string) (lcm.Drift, error) {
	out := lcm.Drift{VnfInstanceID: id, Policy: lcm.DefaultDriftPolicy()}
	rows, err := all(ctx, q, func(row pgx.CollectableRow) (found lcm.Drift, err error) {
		found = out
		var policy *lcm.DriftPolicy
		if err = row.Scan(&policy, &found.Report); policy != nil {
			found.Policy = *policy
		}
		return found, err
	}, `select policy, report from vnf_drift where vnf_instance_id = @id`+lock, pgx.NamedArgs{"id": id})
	if err != nil || len(rows) == 0 {
		return out, err
	}
	return rows[0], nil
}

// KeepDriftPolicy sets the policy of an instance.
func (s *Store) KeepDriftPolicy(ctx context.Context, id lcm.VnfInstanceID, policy lcm.DriftPolicy) error {
	_, err := s.pool.Exec(ctx, `
		insert into vnf_drift (vnf_instance_id, policy) select id, @policy from vnf_instance where id = @id
		on conflict (vnf_instance_id) do update set policy = @policy`,
		pgx.NamedArgs{"id": id, "policy": policy})
	return interpret("keep the drift policy", err)
}

// RecordDrift stores the report of a check. It returns the report with the counts of its findings continued from the
// last one. It returns a report that is recorded already as it is, so an activity may repeat it. notified are the
// servers that somebody reported.
func (s *Store) RecordDrift(
	ctx context.Context, id lcm.VnfInstanceID, report lcm.DriftReport, notified []string,
) (kept lcm.DriftReport, err error) {
	err = s.inTransaction(ctx, "record the drift report", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into vnf_drift (vnf_instance_id) select id from vnf_instance where id = @id on conflict do nothing`,
			pgx.NamedArgs{"id": id})
		if err != nil {
			return err
		}
		last, err := drift(ctx, tx, id, " for update")
		if err != nil {
			return err
		}
		if last.Report != nil && last.Report.ID == report.ID {
			kept = *last.Report
			return nil
		}
		kept = report.Following(last.Report, notified)
		_, err = tx.Exec(ctx, `update vnf_drift set report = @report where vnf_instance_id = @id`,
			pgx.NamedArgs{"id": id, "report": kept})
		if err != nil {
			return err
		}
		return tellDrift(ctx, tx, id, kept)
	})
	return kept, err
}

// tellDrift replaces the event of the last report with an event of this one, as readers need only the newest. The
// caller has locked the instance's row of vnf_drift.
func tellDrift(ctx context.Context, tx pgx.Tx, id lcm.VnfInstanceID, report lcm.DriftReport) error {
	if _, err := tx.Exec(ctx, `delete from event where vnf_instance_id = @id`, pgx.NamedArgs{"id": id}); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		with told as (
			insert into event (vnf_instance_id, type, data) select id, @type, @data from vnf_instance where id = @id
			returning id)
		select pg_notify(@channel, id || ' ') from told`,
		pgx.NamedArgs{
			"id": id, "type": lcm.EventDrift, "channel": channel,
			"data": lcm.DriftEvent{ReportID: report.ID, CheckedAt: report.CheckedAt, Findings: len(report.Findings)},
		})
	return err
}

// NoteNotified records a report that a server of an instance is out of order. It returns false when the same was
// reported within the given time and no check has begun since: then a check is already on its way.
func (s *Store) NoteNotified(
	ctx context.Context, id lcm.VnfInstanceID, server string, while time.Duration,
) (isNew bool, err error) {
	tag, err := s.pool.Exec(ctx, `
		insert into vnf_drift as d (vnf_instance_id, notified)
		select id, jsonb_build_object(@server::text, clock_timestamp()) from vnf_instance where id = @id
		on conflict (vnf_instance_id) do update set notified = d.notified || excluded.notified
		where coalesce((d.notified ->> @server::text)::timestamptz <= clock_timestamp() - @while::interval, true)`,
		pgx.NamedArgs{"id": id, "server": text(server), "while": while})
	return tag.RowsAffected() == 1, interpret("note a notification", err)
}

// ForgetNotified deletes the reports about those servers of an instance, or about all when none is named, because a
// check begins now.
func (s *Store) ForgetNotified(ctx context.Context, id lcm.VnfInstanceID, servers ...string) error {
	_, err := s.pool.Exec(ctx, `
		update vnf_drift set notified = case when @all::boolean then '{}' else notified - @servers::text[] end
		where vnf_instance_id = @id and notified <> '{}'`,
		pgx.NamedArgs{"id": id, "all": len(servers) == 0, "servers": append([]string{}, servers...)})
	return interpret("forget notifications", err)
}

// DecideDrift stores the decision after a check, unless a newer check has been recorded.
func (s *Store) DecideDrift(
	ctx context.Context, id lcm.VnfInstanceID, report string, decision lcm.DriftDecision,
) error {
	_, err := s.pool.Exec(ctx, `
		update vnf_drift set report = jsonb_set(report, '{decision}', @decision::jsonb)
		where vnf_instance_id = @id and report ->> 'id' = @report`,
		pgx.NamedArgs{"id": id, "report": report, "decision": decision})
	return interpret("keep what the check has led to", err)
}

// RecentAutomaticHeals counts the automatic heals of an instance that began within the period.
func (s *Store) RecentAutomaticHeals(
	ctx context.Context, id lcm.VnfInstanceID, period time.Duration,
) (count int, err error) {
	err = s.pool.QueryRow(ctx, `
		select count(*) from vnf_lcm_op_occ
		where vnf_instance_id = @id and operation = 'HEAL' and is_automatic_invocation and start_time > now() - @period::interval`,
		pgx.NamedArgs{"id": id, "period": period}).Scan(&count)
	return count, interpret("count the automatic heals", err)
}

// DriftCount returns the number of findings of each kind in the last checks of all instantiated VNFs.
func (s *Store) DriftCount(ctx context.Context) (map[lcm.DriftKind]int, error) {
	type count struct {
		kind lcm.DriftKind
		n    int
	}
	counts, err := all(ctx, s.pool, func(row pgx.CollectableRow) (c count, err error) {
		return c, row.Scan(&c.kind, &c.n)
	}, `
		select finding ->> 'kind', count(*)
		from vnf_drift d
		join vnf_instance i on i.id = d.vnf_instance_id and i.instantiation_state = 'INSTANTIATED'
		cross join lateral jsonb_array_elements(nullif(d.report -> 'findings', 'null')) finding
		group by 1`, nil)
	out := map[lcm.DriftKind]int{}
	for _, c := range counts {
		out[c.kind] = c.n
	}
	return out, err
}

// ForgetDriftReports deletes the reports of VNFs that are no longer instantiated, as their VMs are gone.
func (s *Store) ForgetDriftReports(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `
		update vnf_drift d set report = null from vnf_instance i
		where i.id = d.vnf_instance_id and i.instantiation_state = 'NOT_INSTANTIATED' and d.report is not null`)
	return interpret("forget the drift reports", err)
}

// DriftSchedule is a schedule in Temporal that has to change.
type DriftSchedule struct {
	VnfInstanceID lcm.VnfInstanceID
	// Interval is the seconds between two checks, 0 for no schedule.
	Interval int
	// Gone is set when the instance no longer exists.
	Gone bool
}

// UnsettledDriftSchedules reads the schedules that differ from the policies. A VNF is checked while it is instantiated.
func (s *Store) UnsettledDriftSchedules(ctx context.Context) ([]DriftSchedule, error) {
	return all(ctx, s.pool, func(row pgx.CollectableRow) (d DriftSchedule, err error) {
		return d, row.Scan(&d.VnfInstanceID, &d.Interval, &d.Gone)
	}, `
		select id, interval, gone from (
			select d.vnf_instance_id as id, d.scheduled_interval, i.id is null as gone,
				case when i.instantiation_state = 'INSTANTIATED' and (d.policy ->> 'check')::boolean
					then (d.policy ->> 'interval')::integer else 0 end as interval
			from vnf_drift d left join vnf_instance i on i.id = d.vnf_instance_id) s
		where gone or scheduled_interval <> interval
		order by id`, nil)
}

// SettledDriftSchedule records that Temporal has the schedule. It deletes the data of an instance that is gone.
func (s *Store) SettledDriftSchedule(ctx context.Context, d DriftSchedule) error {
	sql := `update vnf_drift set scheduled_interval = @interval where vnf_instance_id = @id`
	if d.Gone {
		sql = `delete from vnf_drift where vnf_instance_id = @id`
	}
	_, err := s.pool.Exec(ctx, sql, pgx.NamedArgs{"id": d.VnfInstanceID, "interval": d.Interval})
	return interpret("note the schedule", err)
}
