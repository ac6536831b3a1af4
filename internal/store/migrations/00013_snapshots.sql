-- +goose Up
create table vnf_snapshot_info (
    id                  text collate "C" primary key,
    project_id          text collate "C" not null,
    vnf_snapshot_pkg_id text        not null,
    vnf_snapshot        jsonb,
    version             bigint      not null default 1
);
create index vnf_snapshot_info_project on vnf_snapshot_info (project_id, id);

-- +goose Down
drop table vnf_snapshot_info;
