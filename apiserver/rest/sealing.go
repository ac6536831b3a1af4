package rest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// ReferencesIn is references of a document.
func ReferencesIn(doc json.RawMessage) []lcm.SecretRef {
	var v any
	if json.Unmarshal(doc, &v) != nil {
		return nil
	}
	return References(v)
}

// References lists the secrets that a stored document refers to.
func References(v any) []lcm.SecretRef {
	var out []lcm.SecretRef
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v[lcm.SecretKey].(string); ok {
			return []lcm.SecretRef{lcm.SecretRef(ref)}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, References(v[key])...)
		}
	case []any:
		for _, item := range v {
			out = append(out, References(item)...)
		}
	}
	return out
}

// SealMap is SealDocument for a map.
func (b *Backend) SealMap(ctx context.Context, prefix lcm.SecretRef, clearMap map[string]any) (map[string]any, error) {
	if clearMap == nil {
		return nil, nil
	}
	doc, err := json.Marshal(clearMap)
	if err != nil {
		return nil, err
	}
	if doc, err = secrets.SealDocument(ctx, b.Vault, prefix, doc); err != nil {
		return nil, err
	}
	var sealed map[string]any
	return sealed, json.Unmarshal(doc, &sealed)
}

// OpenMap is a map that SealMap has sealed, in clear.
func (b *Backend) OpenMap(ctx context.Context, sealed map[string]any) (map[string]any, error) {
	doc, err := json.Marshal(sealed)
	if err != nil {
		return nil, err
	}
	if doc, err = secrets.OpenDocument(ctx, b.Vault, doc); err != nil {
		return nil, err
	}
	clearMap := map[string]any{}
	return clearMap, json.Unmarshal(doc, &clearMap)
}

// Forget deletes secrets that nothing refers to, even when the client has gone meanwhile.
func (b *Backend) Forget(ctx context.Context, prefix lcm.SecretRef) {
	ctx = context.WithoutCancel(ctx)
	if prefix == "" {
		return
	}
	if err := b.Vault.Delete(ctx, string(prefix)); err != nil {
		b.Log.WarnContext(ctx, "Sealed secrets without an owner remain", "prefix", prefix, "error", err)
	}
}
