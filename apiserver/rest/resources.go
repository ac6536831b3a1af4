package rest

import (
	"context"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// PathInstance reads the instance that the path names.
func (b *Backend) PathInstance(c echo.Context) (lcm.VnfInstance, error) {
	id, err := IDParam[lcm.VnfInstanceID](c, "vnfInstanceId", "VNF instance")
	if err != nil {
		return lcm.VnfInstance{}, err
	}
	inst, err := b.Store.Instance(c.Request().Context(), id)
	if err == nil {
		InProjectOf(c, inst.ProjectID)
	}
	return inst, err
}

// PathOpOcc reads the operation that the path names.
func (b *Backend) PathOpOcc(c echo.Context) (lcm.VnfLcmOpOcc, error) {
	id, err := IDParam[lcm.OpOccID](c, "vnfLcmOpOccId", "VNF lifecycle operation occurrence")
	if err != nil {
		return lcm.VnfLcmOpOcc{}, err
	}
	o, err := b.Store.Operation(c.Request().Context(), id)
	if err == nil {
		InProjectOf(c, o.ProjectID)
	}
	return o, err
}

// CheckReady refuses a task that needs an instantiated VNF without another operation in progress.
func (b *Backend) CheckReady(ctx context.Context, inst lcm.VnfInstance) error {
	if inst.InstantiationState != lcm.Instantiated || inst.Instantiated == nil {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated.", inst.ID)
	}
	return b.Store.CheckIdle(ctx, inst.ID)
}

// VnfdOf is the VNFD of a package that is on board.
func VnfdOf(pkg lcm.VnfPkg) (vnfd descriptor.Vnfd, err error) {
	if err := json.Unmarshal(pkg.Vnfd, &vnfd); err != nil {
		return vnfd, lcm.Wrap(lcm.KindBug, err, "The stored VNFD is not JSON.")
	}
	return vnfd, nil
}

// InProjectOf limits the rest of a request to the project of its resource: an administrator works in the project of the
// resource.
func InProjectOf(c echo.Context, project lcm.ProjectID) {
	c.SetRequest(c.Request().WithContext(lcm.InProject(c.Request().Context(), project)))
}

// InOwnProject limits the rest of a request to the client's own project: a resource that the client makes may refer to
// nothing else.
func InOwnProject(c echo.Context) {
	InProjectOf(c, lcm.ScopeOf(c.Request().Context()).Project)
}
