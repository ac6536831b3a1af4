-- +goose Up
-- The servers of a hook: an activity on one of them reads all of them here, so that its input stays small.
create table op_servers (
    op_occ_id text collate "C" not null references vnf_lcm_op_occ (id) on delete cascade,
    hook text not null,
    servers jsonb not null,
    primary key (op_occ_id, hook)
);

-- +goose Down
drop table op_servers;
