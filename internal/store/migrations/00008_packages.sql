-- +goose Up
-- Where an archive is to be fetched from: the request, with sealed secrets, until it is on board or given up.
alter table vnf_pkg add column source jsonb;
create index vnf_pkg_source on vnf_pkg (id) where source is not null;

-- Which API a subscription is of; its filter has that API's form.
alter table subscription add column api text not null default 'vnflcm';

-- +goose Down
delete from subscription where api <> 'vnflcm';
alter table subscription drop column api;
drop index vnf_pkg_source;
alter table vnf_pkg drop column source;
