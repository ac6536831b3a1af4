-- Ids are text, not uuid: a path with a malformed id is then a plain 404, not an error of the database.
-- collate "C" keeps "ordered by id" the same on every server. Nested data of the standard is jsonb.

-- +goose Up
create table vnf_pkg (
    id                text collate "C" primary key,
    onboarding_state  text        not null,
    operational_state text        not null,
    vnfd_id           text        not null,
    provider          text        not null,
    product_name      text        not null,
    software_version  text        not null,
    vnfd_version      text        not null,
    checksum_algo     text        not null,
    checksum          text        not null,
    user_defined_data jsonb,
    vnfd              jsonb,
    artifacts         jsonb,
    warnings          jsonb,
    error             jsonb,
    created           timestamptz not null default now(),
    updated           timestamptz not null default now(),
    version           bigint      not null default 1
);
-- An instance is created by its VNFD's id, so only one package may answer for it.
create unique index vnf_pkg_vnfd_id on vnf_pkg (vnfd_id) where onboarding_state = 'ONBOARDED';

-- An upload is written chunk by chunk, without a transaction that waits for the client, and becomes the
-- package's archive when it is complete.
create table vnf_pkg_content (
    id         bigint generated always as identity primary key,
    vnf_pkg_id text        not null references vnf_pkg (id) on delete cascade,
    complete   boolean     not null default false,
    size       bigint      not null default 0,
    started    timestamptz not null default now()
);
create unique index vnf_pkg_content_complete on vnf_pkg_content (vnf_pkg_id) where complete;
create index vnf_pkg_content_vnf_pkg_id on vnf_pkg_content (vnf_pkg_id);

create table vnf_pkg_chunk (
    content_id bigint  not null references vnf_pkg_content (id) on delete cascade,
    n          integer not null,
    data       bytea   not null,
    primary key (content_id, n)
);
-- Archives are compressed already.
alter table vnf_pkg_chunk alter column data set storage external;

create table vnf_pkg_file (
    vnf_pkg_id text collate "C" not null references vnf_pkg (id) on delete cascade,
    path       text collate "C" not null,
    data       bytea not null,
    primary key (vnf_pkg_id, path)
);

create table vim (
    id          text collate "C" primary key,
    name        text        not null,
    description text        not null,
    type        text        not null,
    auth_url    text        not null,
    auth_cred   jsonb,
    project     jsonb,
    regions     jsonb,
    is_default  boolean     not null,
    status      text        not null,
    extra       jsonb,
    created     timestamptz not null default now(),
    updated     timestamptz not null default now()
);
create unique index vim_name on vim (name);
create unique index vim_one_default on vim (is_default) where is_default;

create table vnf_instance (
    id                  text collate "C" primary key,
    name                text        not null,
    description         text        not null,
    vnfd_id             text        not null,
    vnf_pkg_id          text        not null constraint vnf_instance_vnf_pkg references vnf_pkg (id),
    provider            text        not null,
    product_name        text        not null,
    software_version    text        not null,
    vnfd_version        text        not null,
    instantiation_state text        not null,
    metadata            jsonb,
    vim_connections     jsonb,
    instantiated        jsonb,
    created             timestamptz not null default now(),
    updated             timestamptz not null default now(),
    version             bigint      not null default 1
);
create index vnf_instance_vnf_pkg_id on vnf_instance (vnf_pkg_id);
create index vnf_instance_vim_connections on vnf_instance using gin (vim_connections jsonb_path_ops);

-- No foreign key to vnf_instance: occurrences are a record of what was done and outlive their instance.
create table vnf_lcm_op_occ (
    id                      text collate "C" primary key,
    vnf_instance_id         text        not null,
    operation               text        not null,
    state                   text        not null,
    state_entered_time      timestamptz not null default now(),
    start_time              timestamptz not null default now(),
    grant_id                text        not null,
    is_automatic_invocation boolean     not null,
    is_cancel_pending       boolean     not null default false,
    cancel_mode             text        not null default '',
    params                  jsonb,
    api_version             integer     not null,
    error                   jsonb,
    resource_changes        jsonb,
    step                    text        not null default '',
    sequence                bigint      not null default 0
);
-- One operation at a time on an instance, whichever process asks. It is also the index for "what is open".
create unique index vnf_lcm_op_occ_one_open on vnf_lcm_op_occ (vnf_instance_id)
    where state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK');
create index vnf_lcm_op_occ_vnf_instance_id on vnf_lcm_op_occ (vnf_instance_id, start_time);

create table op_step (
    op_occ_id  text collate "C" not null references vnf_lcm_op_occ (id) on delete cascade,
    step_index integer not null,
    phase      text    not null,
    node       text collate "C" not null,
    title      text    not null,
    state      text    not null,
    attempt    integer not null,
    started    timestamptz,
    ended      timestamptz,
    error      jsonb,
    last_line  text    not null,
    primary key (op_occ_id, step_index, phase, node)
);

create table step_output (
    id         bigint generated always as identity primary key,
    op_occ_id  text collate "C" not null references vnf_lcm_op_occ (id) on delete cascade,
    step_index integer     not null,
    phase      text        not null,
    node       text collate "C" not null,
    attempt    integer     not null,
    at         timestamptz not null default clock_timestamp(),
    line       text        not null
);
create index step_output_step on step_output (op_occ_id, step_index, phase, id);

create table event (
    id        bigint generated always as identity primary key,
    op_occ_id text collate "C" not null references vnf_lcm_op_occ (id) on delete cascade,
    type      text        not null,
    at        timestamptz not null default clock_timestamp(),
    data      jsonb       not null
);
create index event_op_occ_id on event (op_occ_id, id);

-- Appends an event and tells the waiters, when and if the transaction commits.
-- +goose StatementBegin
create function append_event(op text, event_type text, event_data jsonb) returns bigint
    language plpgsql as
$$
declare
    event_id bigint;
begin
    -- A number is drawn now but seen at commit: without the lock, which lasts until then, event 8 could
    -- appear after a reader went on from event 9, and be lost to it. Every statement takes its row locks
    -- before it comes here, so this lock closes no circle.
    perform pg_advisory_xact_lock(1, hashtext(op));
    insert into event (op_occ_id, type, data) values (op, event_type, event_data) returning id into event_id;
    perform pg_notify('windlass_event', event_id || ' ' || op);
    return event_id;
end
$$;
-- +goose StatementEnd

-- Orders the states of one attempt; what has ended stays as it is until the next attempt.
-- +goose StatementBegin
create function step_rank(state text) returns integer
    language sql immutable as
$$
select case state when 'PENDING' then 0 when 'RUNNING' then 1 else 2 end
$$;
-- +goose StatementEnd

create table host_key (
    server_id text collate "C" primary key,
    key       bytea       not null,
    pinned    timestamptz not null default now()
);

create table secret (
    ref    text collate "C" primary key,
    key_id text  not null,
    sealed bytea not null
);

-- +goose Down
drop table secret, host_key, event, step_output, op_step, vnf_lcm_op_occ, vnf_instance, vim,
    vnf_pkg_file, vnf_pkg_chunk, vnf_pkg_content, vnf_pkg;
drop function append_event, step_rank;
