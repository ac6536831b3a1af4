package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// HostKey reads the pinned SSH host key of a server of a VNF instance. The server's id alone is not unique: servers of
// two clouds may have the same.
func (s *Store) HostKey(
	ctx context.Context, inst lcm.VnfInstanceID, serverID string,
) (key []byte, known bool, err error) {
	err = s.pool.QueryRow(ctx, `select key from vnf_host_key where vnf_instance_id = @instance and server_id = @server`,
		pgx.NamedArgs{"instance": inst, "server": serverID}).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return key, err == nil, interpret("read the host key of a server", err)
}

// PinHostKey pins the key for that server of a VNF instance if none is pinned yet, and returns the pinned key. A
// different key means that another machine answers. It returns NotFound when there is no such instance.
func (s *Store) PinHostKey(
	ctx context.Context, inst lcm.VnfInstanceID, serverID string, key []byte,
) (pinned []byte, err error) {
	// The update changes nothing; without it, "returning" would be empty for an existing row.
	err = s.pool.QueryRow(ctx, `
		insert into vnf_host_key (vnf_instance_id, server_id, key) values (@instance, @server, @key)
		on conflict (vnf_instance_id, server_id) do update set server_id = excluded.server_id
		returning key`,
		pgx.NamedArgs{"instance": inst, "server": serverID, "key": key}).Scan(&pinned)
	if violates(err, "vnf_host_key_vnf_instance_id_fkey") {
		return nil, notFound("VNF instance", inst)
	}
	return pinned, interpret("pin the host key of a server", err)
}

// ForgetHostKeys deletes the keys of servers of a VNF instance that were deleted. The keys of a deleted instance go
// with it.
func (s *Store) ForgetHostKeys(ctx context.Context, inst lcm.VnfInstanceID, serverIDs ...string) error {
	_, err := s.pool.Exec(ctx, `delete from vnf_host_key where vnf_instance_id = @instance and server_id = any(@servers)`,
		pgx.NamedArgs{"instance": inst, "servers": serverIDs})
	return interpret("forget host keys", err)
}
