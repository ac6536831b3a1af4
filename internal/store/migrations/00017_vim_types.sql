-- +goose Up
-- What the VIM calls a resource is recorded with it, for VIMs of any kind. All that is recorded so far is on OpenStack.
update vnf_instance set instantiated = instantiated
    || case when jsonb_typeof(instantiated -> 'attached') = 'array' then jsonb_build_object('attached', (
        select coalesce(jsonb_agg(a || jsonb_build_object('vimType', case a ->> 'type'
            when 'STORAGE' then 'OS::Cinder::Volume' when 'LINKPORT' then 'OS::Neutron::Port' else 'OS::Neutron::Net' end)
            order by at), '[]')
        from jsonb_array_elements(instantiated -> 'attached') with ordinality as list (a, at))) else '{}' end
    || case when jsonb_typeof(instantiated -> 'extCpInfo') = 'array' then jsonb_build_object('extCpInfo', (
        select coalesce(jsonb_agg(case when coalesce(cp ->> 'extLinkPortId', '') = '' then cp
            else cp || '{"portType": "OS::Neutron::Port"}' end order by at), '[]')
        from jsonb_array_elements(instantiated -> 'extCpInfo') with ordinality as list (cp, at))) else '{}' end
where jsonb_typeof(instantiated -> 'attached') = 'array' or jsonb_typeof(instantiated -> 'extCpInfo') = 'array';

-- +goose Down
-- Former releases do not read these members.
select 1;
