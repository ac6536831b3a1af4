-- +goose Up
-- Former releases told by the text of an error whether a cancel stopped the operation, or only another request helps.
update vnf_lcm_op_occ set error = error || jsonb_build_object('cancelled', m.mode)
    from (values ('GRACEFUL'), ('FORCEFUL')) as m (mode)
    where error ->> 'detail' like '%The operation was cancelled (' || m.mode || ').%';
update vnf_lcm_op_occ set error = error || '{"otherRequest": true}'
    where error ->> 'detail' like '%correct the request%';

-- +goose Down
update vnf_lcm_op_occ set error = error - 'cancelled' - 'otherRequest' where error is not null;
