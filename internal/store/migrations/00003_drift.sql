-- +goose Up
-- What is kept of an instance's checks for drift. No foreign key to vnf_instance: the row tells, after the instance is
-- gone, that a schedule in Temporal must be removed.
create table vnf_drift (
    vnf_instance_id    text collate "C" primary key,
    policy             jsonb,                       -- null: the default one
    report             jsonb,                       -- of the last check
    scheduled_interval integer not null default 0   -- of the schedule in Temporal, in seconds; 0: there is none
);

-- +goose Down
drop table vnf_drift;
