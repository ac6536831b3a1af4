package kubernetes

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/charts"
)

// shared tells whether an object that somebody else has made is used as it is: a namespace, and the definition of a
// kind that a chart brings in its folder crds.
func (p prepared) shared() bool {
	return p.GetKind() == "Namespace" || p.GetKind() == "CustomResourceDefinition" && charts.Kept(&p.Unstructured)
}

// ours are the objects that are to be the owner's: without those of others that are used as they are.
func (c *Cluster) ours(ctx context.Context, objects []prepared, owner string) (out []prepared, err error) {
	for _, p := range objects {
		if p.shared() && p.mapping != nil {
			there, err := c.ownerOf(ctx, p)
			if err != nil {
				return nil, err
			}
			if there.foreign(owner) {
				continue
			}
		}
		out = append(out, p)
	}
	return out, nil
}
