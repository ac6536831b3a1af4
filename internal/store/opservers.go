package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// KeepServers stores the servers of a hook of an operation, and replaces earlier ones.
func (s *Store) KeepServers(ctx context.Context, id lcm.OpOccID, hook string, servers lcm.Nodes) error {
	if servers == nil {
		servers = lcm.Nodes{} // the driver would send nil as null
	}
	_, err := s.pool.Exec(ctx, `
		insert into op_servers (op_occ_id, hook, servers) values (@op, @hook, @servers)
		on conflict (op_occ_id, hook) do update set servers = @servers`,
		pgx.NamedArgs{"op": id, "hook": hook, "servers": servers})
	if violates(err, "op_servers_op_occ_id_fkey") {
		return notFound("VNF LCM operation occurrence", id)
	}
	return interpret("keep the servers of a hook", err)
}

// ServersOf returns the kept servers of a hook, if the context sees the operation. It returns NotFound when there are
// none.
func (s *Store) ServersOf(ctx context.Context, id lcm.OpOccID, hook string) (lcm.Nodes, error) {
	return one(ctx, s.pool, pgx.RowTo[lcm.Nodes],
		lcm.Errorf(lcm.KindNotFound, "Nobody has kept the servers of the hook %s of the operation %s.", hook, id), `
		select servers from op_servers where hook = @hook and op_occ_id =
		(select id from vnf_lcm_op_occ where id = @op and`+ofProject+`)`,
		owned(ctx, pgx.NamedArgs{"op": id, "hook": hook}))
}
