-- +goose Up
-- endpoint: what links in notifications begin with; the worker, which delivers them, serves no API.
create table subscription (
    id             text collate "C" primary key,
    api_version    integer     not null,
    filter         jsonb,
    callback_uri   text        not null,
    verbosity      text        not null,
    authentication jsonb,
    endpoint       text        not null,
    created        timestamptz not null default now()
);
create index subscription_callback_uri on subscription (callback_uri);

-- The outbox: a notification is written with the change that it tells of, and is gone once it has arrived.
create table delivery (
    id              bigint generated always as identity primary key,
    subscription_id text collate "C" not null references subscription (id) on delete cascade,
    event           jsonb       not null,
    dead            boolean     not null default false,
    attempts        integer     not null default 0,
    last_error      text        not null default '',
    since           timestamptz not null default clock_timestamp()
);
create index delivery_subscription_id on delivery (subscription_id, id);
create index delivery_pending on delivery (subscription_id, id) where not dead;
create index delivery_dead on delivery (id) where dead;

-- +goose Down
drop table delivery, subscription;
