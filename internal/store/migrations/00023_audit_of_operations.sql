-- +goose Up
-- Who asked for an operation, and who decided about it: the page of an operation asks this of a table with every change
-- of months.
create index audit_resource on audit (resource);
create index audit_path on audit (path);

-- +goose Down
drop index audit_resource, audit_path;
