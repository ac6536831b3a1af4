package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// KeepFetched stores content that was fetched for a VNF, and replaces earlier content of the same source. It is deleted
// with the VNF.
func (s *Store) KeepFetched(ctx context.Context, id lcm.VnfInstanceID, source string, content []byte) error {
	args := pgx.NamedArgs{"id": id, "source": source, "content": content}
	_, err := s.pool.Exec(ctx, `
		insert into fetched (vnf_instance_id, source, content) values (@id, @source, @content)
		on conflict (vnf_instance_id, source) do update set content = @content, fetched = now()`, args)
	return interpret("keep a file that was fetched", err)
}

// Fetched reads the content that was fetched for a VNF, if the context sees the VNF. It returns NotFound when there is
// none.
func (s *Store) Fetched(ctx context.Context, id lcm.VnfInstanceID, source string) ([]byte, error) {
	args := owned(ctx, pgx.NamedArgs{"id": id, "source": source})
	return one(ctx, s.pool, pgx.RowTo[[]byte],
		lcm.Errorf(lcm.KindNotFound, "Nothing was fetched from %s for VNF instance %s.", source, id), `
		select content from fetched where source = @source and vnf_instance_id =
		(select id from vnf_instance where id = @id and`+ofProject+`)`, args)
}
