package store

import (
	"context"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// PutSealed writes the sealed secret, and replaces an earlier one.
func (s *Store) PutSealed(ctx context.Context, ref lcm.SecretRef, keyID string, sealed []byte) error {
	_, err := s.pool.Exec(ctx, `
		insert into secret (ref, key_id, sealed) values (@ref, @key, @sealed)
		on conflict (ref) do update set key_id = excluded.key_id, sealed = excluded.sealed`,
		pgx.NamedArgs{"ref": ref, "key": keyID, "sealed": sealed})
	return interpret("store a secret", err)
}

// InsertSealed writes the sealed secret unless one is stored already.
func (s *Store) InsertSealed(
	ctx context.Context, ref lcm.SecretRef, keyID string, sealed []byte,
) (inserted bool, err error) {
	tag, err := s.pool.Exec(ctx, `
		insert into secret (ref, key_id, sealed) values (@ref, @key, @sealed) on conflict (ref) do nothing`,
		pgx.NamedArgs{"ref": ref, "key": keyID, "sealed": sealed})
	return tag.RowsAffected() == 1, interpret("store a secret", err)
}

// ReplaceSealed writes sealed only if old is still the stored value.
func (s *Store) ReplaceSealed(
	ctx context.Context, old lcm.SealedSecret, keyID string, sealed []byte,
) (replaced bool, err error) {
	tag, err := s.pool.Exec(ctx, `
		update secret set key_id = @key, sealed = @sealed
		where ref = @ref and key_id = @oldKey and sealed = @old`,
		pgx.NamedArgs{"ref": old.Ref, "oldKey": old.KeyID, "old": old.Sealed, "key": keyID, "sealed": sealed})
	return tag.RowsAffected() == 1, interpret("replace a secret", err)
}

// GetSealed reads a sealed secret.
func (s *Store) GetSealed(ctx context.Context, ref lcm.SecretRef) (keyID string, sealed []byte, err error) {
	err = s.pool.QueryRow(ctx, `select key_id, sealed from secret where ref = @ref`,
		pgx.NamedArgs{"ref": ref}).Scan(&keyID, &sealed)
	return keyID, sealed, interpretMissing("read a secret", err, notFound("secret", ref))
}

// DeleteSealed removes the secret of that name and all below it: "vnf/1" includes "vnf/1/request/x", but not "vnf/10".
// It is no error if there is none.
func (s *Store) DeleteSealed(ctx context.Context, prefix string) error {
	prefix = strings.TrimRight(prefix, "/")
	if prefix == "" {
		return lcm.Errorf(lcm.KindBug, "An empty prefix would delete every secret.")
	}
	// '0' follows '/' in collation "C": the range covers all names that begin with the prefix and a slash.
	_, err := s.pool.Exec(ctx, `
		delete from secret
		where ref = @prefix or ref >= @prefix || '/' and ref < @prefix || '0'`,
		pgx.NamedArgs{"prefix": prefix})
	return interpret("delete secrets", err)
}

// AllSealed reads every secret, page by page, so that the caller may write in between.
func (s *Store) AllSealed(ctx context.Context) iter.Seq2[lcm.SealedSecret, error] {
	const page = 200
	return func(yield func(lcm.SealedSecret, error) bool) {
		after := lcm.SecretRef("")
		for {
			secrets, err := all(ctx, s.pool, scanSealed,
				`select ref, key_id, sealed from secret where ref > @after order by ref limit @page`,
				pgx.NamedArgs{"after": after, "page": page})
			if err != nil {
				yield(lcm.SealedSecret{}, err)
				return
			}
			for _, secret := range secrets {
				if !yield(secret, nil) {
					return
				}
				after = secret.Ref
			}
			if len(secrets) < page {
				return
			}
		}
	}
}

func scanSealed(row pgx.CollectableRow) (s lcm.SealedSecret, err error) {
	err = row.Scan(&s.Ref, &s.KeyID, &s.Sealed)
	return s, err
}
