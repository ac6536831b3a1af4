-- +goose Up
-- An event is of an operation, or of an instance: then it tells of the instance's last check for drift, and there is one
-- of each instance, whatever the number of checks.
alter table event
    alter column op_occ_id drop not null,
    add column vnf_instance_id text collate "C" references vnf_instance (id) on delete cascade;
create unique index event_vnf_instance_id on event (vnf_instance_id) where vnf_instance_id is not null;

-- +goose Down
delete from event where op_occ_id is null;
alter table event drop column vnf_instance_id, alter column op_occ_id set not null;
