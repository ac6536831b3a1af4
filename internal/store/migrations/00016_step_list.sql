-- +goose Up
-- The list of an operation's steps is kept with it: a later release carries out this list, and not its own. Rows of nodes
-- and of undos, and rows of former releases, have no ID.
alter table op_step
    add column step_id text collate "C" not null default '',
    add column undo    text             not null default '',
    add column final   boolean          not null default false;

-- +goose Down
alter table op_step drop column step_id, drop column undo, drop column final;
