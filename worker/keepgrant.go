package worker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// KeepGrant implements activities.GrantFacts. The deployment's parameters are made for once, so that what the templates
// cannot take is known before anything is touched.
func (o *resolver) KeepGrant(ctx context.Context, id lcm.OpOccID, given lcm.Grant) (err error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return err
	}
	if j.OpOcc.GrantID != "" {
		return nil // an earlier attempt was cut off behind its record
	}
	prefix := lcm.SecretRef("vnf/" + string(j.Instance.ID) + "/grant/" + string(id))
	if given, err = o.sealGrant(ctx, prefix, given); err != nil {
		return err
	}
	grant, err := o.acceptable(ctx, j, given)
	if err == nil {
		err = o.Store.KeepGrant(ctx, id, grant, j.Regranted, j.takenVims()...)
	}
	if err != nil {
		return o.orKept(ctx, id, prefix, err)
	}
	return nil
}

// orKept is nil when the grant has been kept although the database's answer to that was lost. When it surely has not,
// its secrets are deleted; those of which nobody can tell go with the instance.
func (o *resolver) orKept(ctx context.Context, id lcm.OpOccID, prefix lcm.SecretRef, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if failure := o.Store.Settled(ctx, string(id)); failure != nil {
		return err
	}
	switch opOcc, failure := o.Store.Operation(ctx, id); {
	case failure != nil:
		return err
	case opOcc.GrantID != "":
		return nil
	}
	_ = o.vault.Delete(ctx, string(prefix)) // goes with the instance at the latest
	return err
}

// sealGrant puts the secrets of a grant into the vault: it may bring credentials of a VIM.
func (o *resolver) sealGrant(ctx context.Context, prefix lcm.SecretRef, g lcm.Grant) (sealed lcm.Grant, err error) {
	doc, err := json.Marshal(g)
	if err != nil {
		return sealed, err
	}
	if doc, err = secrets.SealDocument(ctx, o.vault, prefix, doc); err != nil {
		return sealed, err
	}
	if err := json.Unmarshal(doc, &sealed); err != nil {
		return sealed, lcm.Wrap(lcm.KindBroken, err, "The NFVO's grant has a secret where none can be.")
	}
	return sealed, nil
}
