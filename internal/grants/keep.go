package grants

import (
	"context"
	"encoding/json"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// KeepGrant implements activities.GrantFacts. It makes the deployment's parameters as a trial, so that values that the
// templates cannot take are known before any resource is touched.
func (g *Grants) KeepGrant(ctx context.Context, id lcm.OpOccID, given lcm.Grant) (err error) {
	op, err := g.Operations.Load(ctx, id)
	if err != nil {
		return err
	}
	if op.OpOcc.GrantID != "" {
		return nil // an earlier attempt was cut off behind its record
	}
	prefix := lcm.SecretRef("vnf/" + string(op.Instance.ID) + "/grant/" + string(id))
	if given, err = g.seal(ctx, prefix, given); err != nil {
		return err
	}
	grant, err := g.acceptable(ctx, op, given)
	if err == nil {
		err = g.Operations.Store.KeepGrant(ctx, id, grant, op.Regranted, op.Targets...)
	}
	if err != nil {
		return g.orKept(ctx, id, prefix, err)
	}
	return nil
}

// orKept is nil if the grant was stored although the database's answer was lost. If it surely was not stored, its
// secrets are deleted. If nobody can tell, the secrets stay until the instance is deleted.
func (g *Grants) orKept(ctx context.Context, id lcm.OpOccID, prefix lcm.SecretRef, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if failure := g.Operations.Store.Settled(ctx, string(id)); failure != nil {
		return err
	}
	switch opOcc, failure := g.Operations.Store.Operation(ctx, id); {
	case failure != nil:
		return err
	case opOcc.GrantID != "":
		return nil
	}
	_ = g.Vault.Delete(ctx, string(prefix)) // goes with the instance at the latest
	return err
}

// seal puts the secrets of a grant into the vault: it may bring credentials of a VIM.
func (g *Grants) seal(
	ctx context.Context, prefix lcm.SecretRef, given lcm.Grant,
) (sealed lcm.Grant, err error) {
	doc, err := json.Marshal(given)
	if err != nil {
		return sealed, err
	}
	if doc, err = secrets.SealDocument(ctx, g.Vault, prefix, doc); err != nil {
		return sealed, err
	}
	if err := json.Unmarshal(doc, &sealed); err != nil {
		return sealed, lcm.Wrap(lcm.KindBroken, err, "The NFVO's grant has a secret where Windlass allows none.")
	}
	return sealed, nil
}
