package secrets

import (
	"context"
	"iter"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Sealed stores sealed secrets; *store.Store implements it.
type Sealed interface {
	PutSealed(ctx context.Context, ref lcm.SecretRef, keyID string, sealed []byte) error
	InsertSealed(ctx context.Context, ref lcm.SecretRef, keyID string, sealed []byte) (inserted bool, err error)
	ReplaceSealed(ctx context.Context, old lcm.SealedSecret, keyID string, sealed []byte) (replaced bool, err error)
	GetSealed(ctx context.Context, ref lcm.SecretRef) (keyID string, sealed []byte, err error)
	DeleteSealed(ctx context.Context, prefix string) error
	AllSealed(ctx context.Context) iter.Seq2[lcm.SealedSecret, error]
}

// Vault keeps secrets by name.
type Vault struct {
	keys  *Keyring
	store Sealed
}

// NewVault keeps secrets in s, sealed with k.
func NewVault(k *Keyring, s Sealed) *Vault { return &Vault{keys: k, store: s} }

// Put stores a secret, and replaces an earlier secret of that name.
func (v *Vault) Put(ctx context.Context, ref lcm.SecretRef, clear string) error {
	keyID, sealed, err := v.keys.Seal(ref, []byte(clear))
	if err != nil {
		return err
	}
	return v.store.PutSealed(ctx, ref, keyID, sealed)
}

// Get opens a secret; NotFound when there is none of that name.
func (v *Vault) Get(ctx context.Context, ref lcm.SecretRef) (string, error) {
	keyID, sealed, err := v.store.GetSealed(ctx, ref)
	if err != nil {
		return "", err
	}
	clear, err := v.keys.Open(ref, keyID, sealed)
	return string(clear), err
}

// Ensure opens the secret of that name, or generates it if there is none. If several callers come at once, all of them
// get the first caller's secret.
func (v *Vault) Ensure(ctx context.Context, ref lcm.SecretRef, generate func() (string, error)) (string, error) {
	clear, err := v.Get(ctx, ref)
	if !lcm.Is(err, lcm.KindNotFound) {
		return clear, err
	}
	if clear, err = generate(); err != nil {
		return "", err
	}
	keyID, sealed, err := v.keys.Seal(ref, []byte(clear))
	if err != nil {
		return "", err
	}
	inserted, err := v.store.InsertSealed(ctx, ref, keyID, sealed)
	if err != nil || inserted {
		return clear, err
	}
	return v.Get(ctx, ref)
}

// Delete removes the secret of that name and all below it ("vnf/1" takes "vnf/1/request/x" along).
func (v *Vault) Delete(ctx context.Context, prefix string) error {
	return v.store.DeleteSealed(ctx, prefix)
}

// Rotate seals again, with the active key, the secrets that another key sealed, and returns their number. If a secret
// does not open, Rotate goes on with the others and reports it at the end.
func (v *Vault) Rotate(ctx context.Context) (n int, err error) {
	var problems []lcm.Problem
	for old, err := range v.store.AllSealed(ctx) {
		if err != nil {
			return n, err
		}
		if old.KeyID == v.keys.Active() {
			continue
		}
		clear, err := v.keys.Open(old.Ref, old.KeyID, old.Sealed)
		if err != nil {
			problems = append(problems, lcm.Problem{Path: string(old.Ref), Detail: sentence(err)})
			continue
		}
		keyID, sealed, err := v.keys.Seal(old.Ref, clear)
		if err != nil {
			return n, err
		}
		// Not Put: a value that was written meanwhile must stay.
		replaced, err := v.store.ReplaceSealed(ctx, old, keyID, sealed)
		if err != nil {
			return n, err
		}
		if replaced {
			n++
		}
	}
	if len(problems) > 0 {
		return n, &lcm.Error{
			Kind: lcm.KindBroken, Op: "rotate secrets", Detail: "Some secrets could not be sealed anew.",
			Problems: problems,
		}
	}
	return n, nil
}
