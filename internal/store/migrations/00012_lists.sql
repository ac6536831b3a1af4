-- +goose Up
-- instantiated is several kilobytes of another place (TOAST). What lists show of it by default, and what is asked for most, is
-- here beside the other columns, where PostgreSQL knows how many rows have which values.
alter table vnf_instance add column instantiated_brief jsonb generated always as (instantiated
    - '{additionalParams,attached,extCpInfo,extManagedVirtualLinks,extVirtualLinks,granted,nodes,storage,virtualLinkResourceInfo,virtualStorageResourceInfo,vnfcResourceInfo}'::text[])
    stored;
create index vnf_instance_instantiated_brief on vnf_instance using gin (instantiated_brief jsonb_path_ops);

-- What few operations have.
create index vnf_lcm_op_occ_grant_id on vnf_lcm_op_occ (grant_id) where grant_id <> '';
create index vnf_lcm_op_occ_error on vnf_lcm_op_occ (id) where error is not null;
create index vnf_lcm_op_occ_automatic on vnf_lcm_op_occ (id) where is_automatic_invocation;
create index vnf_lcm_op_occ_cancelled on vnf_lcm_op_occ (id) where cancel_mode <> '';
create index vnf_lcm_op_occ_cancel_pending on vnf_lcm_op_occ (id) where is_cancel_pending;
create index vnf_lcm_op_occ_changed_info on vnf_lcm_op_occ using gin (changed_info jsonb_path_ops) where changed_info is not null;
create index vnf_lcm_op_occ_state_entered_time on vnf_lcm_op_occ (state_entered_time);

-- Parts of names are found by an index of trigrams, if the server has the extension and the database's owner may create it.
-- Without it every name is looked at.
-- +goose StatementBegin
do $$
begin
    create extension if not exists pg_trgm;
    create index vnf_instance_name_parts on vnf_instance using gin (name gin_trgm_ops);
exception when others then
    raise notice 'parts of names are found without an index: %', sqlerrm;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop index if exists vnf_instance_name_parts;
drop index vnf_lcm_op_occ_grant_id, vnf_lcm_op_occ_error, vnf_lcm_op_occ_automatic, vnf_lcm_op_occ_cancelled,
    vnf_lcm_op_occ_cancel_pending, vnf_lcm_op_occ_changed_info, vnf_lcm_op_occ_state_entered_time;
alter table vnf_instance drop column instantiated_brief;
