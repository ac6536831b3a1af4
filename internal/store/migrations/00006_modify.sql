-- +goose Up
-- changed_info: what a completed MODIFY_INFO has changed, with secrets masked.
alter table vnf_instance
    add column extensions jsonb,
    add column configurable_properties jsonb;
alter table vnf_lcm_op_occ
    add column changed_info jsonb;

-- +goose Down
alter table vnf_lcm_op_occ
    drop column changed_info;
alter table vnf_instance
    drop column extensions,
    drop column configurable_properties;
