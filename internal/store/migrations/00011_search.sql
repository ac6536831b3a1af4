-- +goose Up
-- Filters of operations ask for a server, a VNFC or a parameter of the request, in one operation of many thousands.
create index vnf_lcm_op_occ_resource_changes on vnf_lcm_op_occ using gin (resource_changes jsonb_path_ops);
create index vnf_lcm_op_occ_params on vnf_lcm_op_occ using gin (params jsonb_path_ops);

-- +goose Down
drop index vnf_lcm_op_occ_resource_changes, vnf_lcm_op_occ_params;
