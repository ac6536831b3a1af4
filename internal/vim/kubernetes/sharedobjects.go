package kubernetes

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/charts"
)

// shared reports whether Windlass uses the object as it is when somebody else made it. That holds for a namespace and
// for a CustomResourceDefinition from a chart's folder crds.
func (p prepared) shared() bool {
	return p.GetKind() == "Namespace" || p.GetKind() == "CustomResourceDefinition" && charts.Kept(&p.Unstructured)
}

// ours returns the objects without the shared objects that another owner made.
func (c *Connection) ours(ctx context.Context, objects []prepared, owner string) (out []prepared, err error) {
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
