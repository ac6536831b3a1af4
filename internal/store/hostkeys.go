package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// HostKey reads the SSH host key pinned for that server.
func (s *Store) HostKey(ctx context.Context, serverID string) (key []byte, known bool, err error) {
	err = s.pool.QueryRow(ctx, `select key from host_key where server_id = @server`, pgx.NamedArgs{"server": serverID}).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return key, err == nil, interpret("read the host key of a server", err)
}

// PinHostKey pins the key if none is pinned yet, and returns the one that is: a different one means that
// another machine answers.
func (s *Store) PinHostKey(ctx context.Context, serverID string, key []byte) (pinned []byte, err error) {
	// The update changes nothing; without it "returning" would be empty when there is a row already.
	err = s.pool.QueryRow(ctx, `
		insert into host_key (server_id, key) values (@server, @key)
		on conflict (server_id) do update set server_id = excluded.server_id
		returning key`,
		pgx.NamedArgs{"server": serverID, "key": key}).Scan(&pinned)
	return pinned, interpret("pin the host key of a server", err)
}

// ForgetHostKeys is for servers that were deleted.
func (s *Store) ForgetHostKeys(ctx context.Context, serverIDs ...string) error {
	_, err := s.pool.Exec(ctx, `delete from host_key where server_id = any(@servers)`, pgx.NamedArgs{"servers": serverIDs})
	return interpret("forget host keys", err)
}
