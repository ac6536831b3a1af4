-- +goose Up
-- forward_only: a server is gone, so the operation cannot be rolled back any more. plan: what a scaling or a healing
-- has decided to do, null until then.
alter table vnf_lcm_op_occ
    add column forward_only boolean not null default false,
    add column plan jsonb;

-- +goose Down
alter table vnf_lcm_op_occ
    drop column forward_only,
    drop column plan;
