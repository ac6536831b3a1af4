package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// RecordPlan inserts the steps as PENDING; steps that are recorded already stay. Rows of a former release have no ids
// and become rows of the list. It stores the whole list or none of it.
func (s *Store) RecordPlan(ctx context.Context, id lcm.OpOccID, steps []lcm.Step) error {
	var indexes []int
	var phases, nodes, titles, ids, undos []string
	var finals []bool
	for _, step := range steps {
		indexes = append(indexes, step.Index)
		phases = append(phases, string(phaseOrForward(step.Phase)))
		nodes = append(nodes, text(step.Node))
		titles = append(titles, text(step.Title))
		ids, undos, finals = append(ids, step.ID), append(undos, step.Undo), append(finals, step.Final)
	}
	// The driver sends an empty array as an untyped null, hence the casts.
	_, err := s.pool.Exec(ctx, `
		insert into op_step (op_occ_id, step_index, phase, node, title, step_id, undo, final, state, attempt, last_line)
		select @op, planned.*, 'PENDING', 0, ''
		from unnest(@indexes::integer[], @phases::text[], @nodes::text[], @titles::text[], @ids::text[], @undos::text[],
			@finals::boolean[]) as planned
		on conflict (op_occ_id, step_index, phase, node) do update
			set title = excluded.title, step_id = excluded.step_id, undo = excluded.undo, final = excluded.final
			where op_step.step_id = '' and excluded.step_id <> ''`,
		pgx.NamedArgs{
			"op": id, "indexes": indexes, "phases": phases, "nodes": nodes, "titles": titles, "ids": ids, "undos": undos,
			"finals": finals,
		})
	return stepError("record the plan", id, err)
}

// RecordStep writes the progress of a step, or of one node's part of it, with an event. Progress never goes back: an
// older attempt, or an earlier state of the same attempt, changes nothing. With an Attempt of 0, the store counts
// attempts by Started. RUNNING with another Started begins the next attempt. The end of an attempt with another Started
// is late, from a worker that was given up, and changes nothing. When empty, Title, LastLine and (within an attempt)
// Started keep their stored values. When the state needs Started or Ended and the caller gives none, the store uses the
// database's time.
func (s *Store) RecordStep(ctx context.Context, step lcm.Step) error {
	_, err := s.pool.Exec(ctx, recordStep, stepArgs(ctx, step))
	return stepError("record a step", step.OpOccID, err)
}

// RecordSteps is RecordStep for several steps of one operation, in order, with one round trip and one commit.
func (s *Store) RecordSteps(ctx context.Context, steps []lcm.Step) error {
	if len(steps) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, step := range steps {
		batch.Queue(recordStep, stepArgs(ctx, step))
	}
	return stepError("record steps", steps[0].OpOccID, s.pool.SendBatch(ctx, batch).Close())
}

const recordStep = `
		with prior as (
			select attempt, started from op_step
			where op_occ_id = @op and step_index = @index and phase = @phase and node = @node
			for update
		), given as (
			select
				case
					when @attempt::integer > 0 or @state::text = 'PENDING' then @attempt::integer
					-- not "later than": the clocks of two workers may differ
					when @state::text = 'RUNNING' and (select started from prior) is distinct from @started::timestamptz
						then coalesce((select attempt from prior), 0) + 1
					when step_rank(@state::text) = 2 and @started::timestamptz <> (select started from prior) then -1
					else greatest((select attempt from prior), 1)
				end as attempt,
				-- a node's part carries the title of its step
				coalesce(nullif(@title::text, ''), (
					select title from op_step where op_occ_id = @op and step_index = @index and phase = @phase and node = ''), '') as title,
				case when @state::text = 'PENDING' then null else coalesce(@started::timestamptz, clock_timestamp()) end as started,
				case when step_rank(@state::text) < 2 then null else coalesce(@ended::timestamptz, clock_timestamp()) end as ended
		), recorded as (
			insert into op_step as old (op_occ_id, step_index, phase, node, title, state, attempt, started, ended, error, last_line, retry)
			select @op, @index, @phase, @node, given.title, @state, given.attempt, given.started, given.ended, @error, @lastLine, @retry
			from given
			on conflict (op_occ_id, step_index, phase, node) do update set
				title = coalesce(nullif(excluded.title, ''), old.title),
				state = excluded.state,
				attempt = excluded.attempt,
				started = case
					when excluded.attempt = old.attempt and @started::timestamptz is null then coalesce(old.started, excluded.started)
					else excluded.started end,
				ended = excluded.ended,
				error = excluded.error,
				last_line = coalesce(nullif(excluded.last_line, ''), case when excluded.attempt = old.attempt then old.last_line else '' end),
				retry = case
					when excluded.retry is not null then step_retry(old.retry, excluded.retry)
					when excluded.attempt = old.attempt and excluded.state = old.state then old.retry end
			where (excluded.attempt, step_rank(excluded.state)) > (old.attempt, step_rank(old.state))
				-- news of a state that goes on, e.g. why a running step waits
				or (excluded.attempt = old.attempt and excluded.state = old.state and excluded.state = 'RUNNING'
					and (excluded.error, coalesce(nullif(excluded.last_line, ''), old.last_line)) is distinct from (old.error, old.last_line))
			returning *
		), settled as ( -- no part is tried again when the whole step has ended
			update op_step set retry = null
			where op_occ_id = @op and step_index = @index and phase = @phase and node <> '' and retry is not null
				and @node::text = '' and step_rank(@state::text) = 2
		), timed as ( -- another operation that ends the same step now is not waited for: its time is not kept
			insert into step_time as old (operation, step_id, phase, vnfd_id, times)
			select o.operation, kind, r.phase, i.vnfd_id, array[extract(epoch from r.ended - r.started)]
			from recorded r
			cross join lateral step_kind(r::op_step) kind
			join vnf_lcm_op_occ o on o.id = r.op_occ_id
			join vnf_instance i on i.id = o.vnf_instance_id
			where r.node = '' and r.state = 'DONE' and kind <> ''
				and pg_try_advisory_xact_lock(hashtextextended('step_time', 0))
			on conflict (operation, step_id, phase, vnfd_id) do update set times = (excluded.times || old.times)[1:20]
		)` + stepEvent

// stepEvent appends the event of each row in recorded. It selects from recorded, so that the row is locked before the
// event's lock is taken.
const stepEvent = `
		select append_event(op_occ_id, 'step', jsonb_strip_nulls(jsonb_build_object(
			'index', step_index, 'phase', phase, 'title', title, 'node', nullif(node, ''), 'state', state, 'attempt', attempt,
			'started', started, 'ended', ended, 'error', error, 'lastLine', nullif(last_line, ''), 'retry', retry)))
		from recorded`

func stepArgs(ctx context.Context, step lcm.Step) pgx.NamedArgs {
	return pgx.NamedArgs{
		"op": step.OpOccID, "index": step.Index, "phase": phaseOrForward(step.Phase), "node": text(step.Node),
		"title": text(step.Title), "state": step.State, "attempt": step.Attempt, "started": nullTime(step.Started),
		"ended": nullTime(step.Ended), "error": stamped(ctx, step.Error), "lastLine": text(step.LastLine),
		"retry": stampedRetry(ctx, step.Retry),
	}
}

// RecordRetry writes, with an event, how it stands with an activity for a whole step that is tried again. Nil ends this:
// the activity has ended. It changes nothing if the step does not run, or if a later attempt is recorded.
func (s *Store) RecordRetry(ctx context.Context, ref lcm.StepRef, activity string, retry *lcm.StepRetry) error {
	_, err := s.pool.Exec(ctx, `
		with recorded as (
			update op_step set retry = step_retry(retry, @retry::jsonb)
			where op_occ_id = @op and step_index = @index and phase = @phase and node = '' and state = 'RUNNING'
				and case when @retry::jsonb is null then retry ->> 'activity' = @activity::text
					else retry ->> 'activity' is distinct from @activity::text
						or (retry ->> 'attempt')::integer <= (@retry::jsonb ->> 'attempt')::integer end
			returning *
		)`+stepEvent,
		pgx.NamedArgs{
			"op": ref.OpOccID, "index": ref.Step, "phase": ref.Phase(), "activity": activity,
			"retry": stampedRetry(ctx, retry),
		})
	return stepError("record a retry", ref.OpOccID, err)
}

func stampedRetry(ctx context.Context, retry *lcm.StepRetry) *lcm.StepRetry {
	if retry == nil {
		return nil
	}
	c := *retry
	c.Error = stamped(ctx, retry.Error)
	return &c
}

// Steps reads the progress of an operation, ordered by index, phase (forward first) and node (the whole
// step first).
func (s *Store) Steps(ctx context.Context, id lcm.OpOccID) ([]lcm.Step, error) {
	return all(ctx, s.pool, scanStep, `
		select s.op_occ_id, step_index, s.phase, s.step_id, undo, final, title, node, s.state, attempt, started, ended, s.error,
			last_line, retry, case when node = '' then usual_step_time(o.operation, step_kind(s), s.phase, i.vnfd_id) end
		from op_step s
		join vnf_lcm_op_occ o on o.id = s.op_occ_id
		left join vnf_instance i on i.id = o.vnf_instance_id
		where s.op_occ_id = @op
		order by step_index, s.phase = 'COMPENSATION', node`,
		pgx.NamedArgs{"op": id})
}

func scanStep(row pgx.CollectableRow) (step lcm.Step, err error) {
	var started, ended *time.Time
	var usual *float64
	err = row.Scan(&step.OpOccID, &step.Index, &step.Phase, &step.ID, &step.Undo, &step.Final, &step.Title, &step.Node,
		&step.State,
		&step.Attempt, &started, &ended, &step.Error, &step.LastLine, &step.Retry, &usual)
	if usual != nil {
		step.Usual = seconds(*usual)
	}
	if started != nil {
		step.Started = *started
	}
	if ended != nil {
		step.Ended = *ended
	}
	return step, err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func phaseOrForward(p lcm.Phase) lcm.Phase {
	if p == "" {
		return lcm.PhaseForward
	}
	return p
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func stepError(op string, id lcm.OpOccID, err error) error {
	// PostgreSQL checks foreign keys at the end of a statement, so the event's key may fail first.
	if violates(err, "op_step_op_occ_id_fkey") || violates(err, "step_output_op_occ_id_fkey") ||
		violates(err, "step_output_size_op_occ_id_fkey") || violates(err, "event_op_occ_id_fkey") {
		return notFound("VNF LCM operation occurrence", id)
	}
	return interpret(op, err)
}
