-- +goose Up
-- How it stands with an activity of the step that Temporal tries again: attempt, attempts, error, next, activity.
alter table op_step add column retry jsonb;

-- step_retry is what is given, with the last error of the same activity if none is given: its next attempt has begun.
-- +goose StatementBegin
create function step_retry(former jsonb, given jsonb) returns jsonb language sql immutable as $$
    select case
        when given ? 'error' or former ->> 'activity' is distinct from given ->> 'activity' then given
        else jsonb_strip_nulls(given || jsonb_build_object('error', former -> 'error')) end
$$;
-- +goose StatementEnd

-- +goose Down
drop function step_retry;
alter table op_step drop column retry;
