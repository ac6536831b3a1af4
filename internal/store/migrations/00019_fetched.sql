-- +goose Up
-- Files that the requests of VNFs name by URLs: an operation finds what its request was checked with.
create table fetched (
    vnf_instance_id text not null references vnf_instance (id) on delete cascade,
    source text not null,
    content bytea not null,
    fetched timestamptz not null default now(),
    primary key (vnf_instance_id, source)
);

-- +goose Down
drop table fetched;
