-- +goose Up
-- How much each node has printed in a step, all attempts together: output is kept up to a bound. No row is of a step that
-- has printed nothing since this table is here.
create table step_output_size (
    op_occ_id  text collate "C" not null references vnf_lcm_op_occ (id) on delete cascade,
    step_index integer not null,
    phase      text    not null,
    node       text collate "C" not null,
    bytes      bigint  not null,
    primary key (op_occ_id, step_index, phase, node)
);

-- +goose Down
drop table step_output_size;
