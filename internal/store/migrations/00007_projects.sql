-- +goose Up
-- project_id: whose it is. The default is that of what is older than projects, and of the former release's servers, which
-- go on for a while after this.
alter table vnf_pkg add column project_id text collate "C" not null default 'default';
alter table vim add column project_id text collate "C" not null default 'default';
alter table vnf_instance add column project_id text collate "C" not null default 'default';
alter table vnf_lcm_op_occ add column project_id text collate "C" not null default 'default';
alter table subscription add column project_id text collate "C" not null default 'default';

-- Lists are of one project and ordered by id.
create index vnf_pkg_project on vnf_pkg (project_id, id);
create index vim_project on vim (project_id, id);
create index vnf_instance_project on vnf_instance (project_id, id);
create index vnf_lcm_op_occ_project on vnf_lcm_op_occ (project_id, id);
create index subscription_project on subscription (project_id, id);

-- Names are of one project: what another one has is not to be guessed by trying.
drop index vnf_pkg_vnfd_id, vim_name, vim_one_default;
create unique index vnf_pkg_vnfd_id on vnf_pkg (vnfd_id, project_id) where onboarding_state = 'ONBOARDED';
create unique index vim_name on vim (name, project_id);
create unique index vim_one_default on vim (project_id) where is_default;

-- Who did what. No foreign keys: a record outlives what it is about.
create table audit (
    id         bigint generated always as identity primary key,
    at         timestamptz not null default clock_timestamp(),
    client     text        not null,
    project_id text collate "C" not null,
    method     text        not null,
    path       text        not null,
    resource   text        not null,
    status     integer     not null,
    request_id text        not null,
    remote     text        not null
);
create index audit_project on audit (project_id, id);
create index audit_at on audit (at);

-- +goose Down
drop table audit;
drop index vnf_pkg_vnfd_id, vim_name, vim_one_default;
create unique index vnf_pkg_vnfd_id on vnf_pkg (vnfd_id) where onboarding_state = 'ONBOARDED';
create unique index vim_name on vim (name);
create unique index vim_one_default on vim (is_default) where is_default;
alter table vnf_pkg drop column project_id;
alter table vim drop column project_id;
alter table vnf_instance drop column project_id;
alter table vnf_lcm_op_occ drop column project_id;
alter table subscription drop column project_id;
