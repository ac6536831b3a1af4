-- +goose Up
-- How the last look at a VIM went, and when the next one is due.
alter table vim
    add column last_check jsonb not null default '{}',
    add column checked timestamptz not null default now();

-- +goose Down
alter table vim drop column last_check, drop column checked;
