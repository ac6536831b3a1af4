-- +goose Up
-- What attribute filters of lists ask for (SOL013 clause 5.2). jsonb_path_ops answers comparisons for equality at any path.
create index vnf_instance_name on vnf_instance (name);
create index vnf_instance_vnfd_id on vnf_instance (vnfd_id);
create index vnf_instance_instantiation_state on vnf_instance (instantiation_state, id);
create index vnf_instance_metadata on vnf_instance using gin (metadata jsonb_path_ops);
create index vnf_instance_instantiated on vnf_instance using gin (instantiated jsonb_path_ops);
create index vnf_lcm_op_occ_operation on vnf_lcm_op_occ (operation, id);
create index vnf_lcm_op_occ_state on vnf_lcm_op_occ (state, id);
create index vnf_lcm_op_occ_start_time on vnf_lcm_op_occ (start_time);

-- +goose Down
drop index vnf_instance_name, vnf_instance_vnfd_id, vnf_instance_instantiation_state, vnf_instance_metadata,
    vnf_instance_instantiated, vnf_lcm_op_occ_operation, vnf_lcm_op_occ_state, vnf_lcm_op_occ_start_time;
