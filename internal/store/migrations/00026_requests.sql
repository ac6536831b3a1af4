-- +goose Up
-- request is the operation's request in its canonical form. Rows of former releases have only params, the body as it was
-- sent. registers_vim is the name under which the operation registers its cluster as a VIM; '' if it registers none.
alter table vnf_lcm_op_occ add column request jsonb, add column registers_vim text not null default '';
update vnf_lcm_op_occ o set registers_vim = coalesce(
        nullif(o.params -> 'additionalParams' -> 'k8s_cluster_installation_param' ->> 'vim_name', ''),
        'kubernetes_vim_' || o.vnf_instance_id)
    where o.operation = 'INSTANTIATE' and o.params -> 'additionalParams' ? 'k8s_cluster_installation_param'
        and o.state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK');
update vnf_lcm_op_occ o set registers_vim = coalesce(
        nullif(i.instantiated -> 'additionalParams' -> 'k8s_cluster_installation_param' ->> 'vim_name', ''),
        'kubernetes_vim_' || o.vnf_instance_id)
    from vnf_instance i
    where i.id = o.vnf_instance_id and o.operation = 'HEAL'
        and i.instantiated -> 'additionalParams' ? 'k8s_cluster_installation_param'
        and o.state in ('STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK');

-- +goose Down
alter table vnf_lcm_op_occ drop column request, drop column registers_vim;
