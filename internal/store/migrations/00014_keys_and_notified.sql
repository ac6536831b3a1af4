-- +goose Up
-- A server's id is one of its cloud: of two clouds, servers may have the same one, and a cloud may choose it. So a host key is
-- that of a server of a VNF instance. It goes with the instance.
create table vnf_host_key (
    vnf_instance_id text collate "C" not null references vnf_instance (id) on delete cascade,
    server_id       text collate "C" not null,
    key             bytea            not null,
    pinned          timestamptz      not null default now(),
    primary key (vnf_instance_id, server_id)
);

-- The keys of servers that exactly one instance has. A key whose server nobody has, or several have, is left behind: whose it is
-- cannot be told, and the next contact pins one anew. The old table stays for the former release's servers, which go on for a while.
with server as (
    select i.id as instance, v -> 'computeResource' ->> 'resourceId' as server_id
    from vnf_instance i
    cross join lateral jsonb_array_elements(
        case when jsonb_typeof(i.instantiated -> 'vnfcResourceInfo') = 'array' then i.instantiated -> 'vnfcResourceInfo' else '[]' end) v
), owner as (
    select server_id, min(instance) as instance from server where server_id is not null group by server_id having count(distinct instance) = 1
)
insert into vnf_host_key (vnf_instance_id, server_id, key, pinned)
select o.instance, k.server_id, k.key, k.pinned from host_key k join owner o using (server_id);

-- The servers of which somebody has told that they are out of order, with the time, until a check begins to look.
alter table vnf_drift add column notified jsonb not null default '{}';

-- +goose Down
alter table vnf_drift drop column notified;
drop table vnf_host_key;
