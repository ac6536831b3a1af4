-- +goose Up
-- How long a step took the last times, in seconds, the newest first. A step that takes much longer is worth a look.
create table step_time (
    operation text   not null,
    step_id   text   not null,
    phase     text   not null,
    vnfd_id   text   not null,
    times     real[] not null,
    primary key (operation, step_id, phase, vnfd_id)
);

-- step_kind is the id of a step; rows of undone steps have none of their own.
-- +goose StatementBegin
create function step_kind(s op_step) returns text language sql stable as $$
    select coalesce(nullif(s.step_id, ''), (
        select step_id from op_step
        where op_occ_id = s.op_occ_id and step_index = s.step_index and phase = 'FORWARD' and node = ''), '')
$$;

-- usual_step_time is the median of what the step took for VNFs with this VNFD, or for all VNFs if there are too few; null
-- if nobody knows.
create function usual_step_time(operation text, step_id text, phase text, vnfd_id text) returns double precision
language sql stable as $$
    with known as (
        select t.vnfd_id, taken from step_time t, unnest(t.times) taken
        where t.operation = $1 and t.step_id = $2 and t.phase = $3)
    select coalesce(
        (select percentile_cont(0.5) within group (order by taken) from known where known.vnfd_id = $4 having count(*) >= 3),
        (select percentile_cont(0.5) within group (order by taken) from known having count(*) >= 3))
$$;
-- +goose StatementEnd

-- slow_operation are operations at work that take much longer than usual: in a step, or without beginning the next one. usual is
-- in seconds, 0 where a step should have begun at once, null if nobody knows.
create view slow_operation as
    select o.id, o.vnf_instance_id, o.operation, coalesce(step.started, idle.since) as since, pace.usual
    from vnf_lcm_op_occ o
    join vnf_instance i on i.id = o.vnf_instance_id
    left join lateral (
        select step_kind(s) as kind, s.phase, s.started from op_step s
        where s.op_occ_id = o.id and s.node = '' and s.state = 'RUNNING'
        order by s.started desc limit 1) step on true
    cross join lateral (
        select greatest(o.state_entered_time, max(s.ended)) as since from op_step s
        where s.op_occ_id = o.id and s.node = '') idle
    cross join lateral (
        select case when step.started is null then 0 else usual_step_time(o.operation, step.kind, step.phase, i.vnfd_id) end as usual
    ) pace
    where o.state in ('STARTING', 'PROCESSING', 'ROLLING_BACK')
        and clock_timestamp() > coalesce(step.started, idle.since)
            + make_interval(secs => case when pace.usual is null then 3600 else greatest(3 * pace.usual, pace.usual + 60) end);

-- +goose Down
drop view slow_operation;
drop function usual_step_time, step_kind;
drop table step_time;
