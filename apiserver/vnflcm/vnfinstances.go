package vnflcm

import (
	"net/http"
	"reflect"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func (a *api) routes() []rest.Route {
	const instance, opOcc = "/vnf_instances/:vnfInstanceId", "/vnf_lcm_op_occs/:vnfLcmOpOccId"
	return []rest.Route{
		rest.Post("/vnf_instances", a.createInstance),
		rest.Get("/vnf_instances", a.listInstances),
		rest.Get(instance, a.readInstance),
		rest.Patch(instance, a.modifyInstance),
		rest.Delete(instance, a.deleteInstance),
		rest.Get("/vnf_lcm_op_occs", a.listOpOccs),
		rest.Get(opOcc, a.readOpOcc),
		rest.Post(opOcc+"/retry", a.retry),
		rest.Post(opOcc+"/rollback", a.rollback),
		rest.Post(opOcc+"/fail", a.fail),
		rest.Post(opOcc+"/cancel", a.cancel),
	}
}

// Attributes of lists (SOL003 clause 5.4.2.3.2).
var instanceListRules = rest.ListRules{
	View:     reflect.TypeFor[vnfInstanceView](),
	Excluded: []string{"vimConnectionInfo", "instantiatedVnfInfo", "metadata", "vnfConfigurableProperties", "extensions"},
	Mandatory: []string{
		"id", "vnfdId", "vnfProvider", "vnfProductName", "vnfSoftwareVersion", "vnfdVersion", "vnfPkgId",
		"instantiationState", "_links",
	},
}

// createInstance is SOL003 clause 5.4.2.3.1.
func (a *api) createInstance(c echo.Context) error {
	req, err := rest.Bind[createVnfRequest](c)
	if err != nil {
		return err
	}
	rest.InOwnProject(c)
	ctx := c.Request().Context()
	pkg, err := a.usablePackage(ctx, lcm.VnfdID(req.VnfdID))
	if err != nil {
		return err
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	inst := lcm.VnfInstance{
		ID: rest.NewID[lcm.VnfInstanceID](), Name: req.VnfInstanceName, Description: req.VnfInstanceDescription,
		VnfdID: pkg.VnfdID, VnfPkgID: pkg.ID, Provider: pkg.Provider, ProductName: pkg.ProductName,
		SoftwareVersion: pkg.SoftwareVersion, VnfdVersion: pkg.VnfdVersion, InstantiationState: lcm.NotInstantiated,
		Extensions: vnfd.Extensions, ConfigurableProperties: vnfd.ConfigurableProperties,
		Created: now, Updated: now, Version: 1,
	}
	// The request's metadata is laid over the VNFD's (clause 5.5.2.3), and must be of its types then.
	metadata := lcm.Merged(vnfd.Metadata, req.Metadata)
	if err := lcm.InvalidAll("The metadata has mistakes", lcm.VnfcMappingProblems(metadata)); err != nil {
		return err
	}
	if problems := vnfd.Declared.Problems(descriptor.Attributes{Metadata: metadata}, false); len(problems) > 0 {
		return &lcm.Error{
			Kind: lcm.KindInvalid, Unprocessable: true, Detail: "The metadata does not match the VNFD",
			Problems: problems,
		}
	}
	if inst.Metadata, err = a.SealMap(ctx, instanceSecrets(inst.ID)+"metadata", metadata); err != nil {
		return err
	}
	err = a.Store.CreateInstance(ctx, inst)
	if err := a.Stored(ctx, string(inst.ID), instanceSecrets(inst.ID), err,
		rest.Exists(a.Store.Instance, inst.ID)); err != nil {
		return err
	}
	view := a.vnfInstance(a.Base, inst)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	c.Response().Header().Set("ETag", instanceTag(inst))
	return rest.WriteResource(c, http.StatusCreated, view)
}

func (a *api) listInstances(c echo.Context) error {
	return rest.ServeList(c, a.Backend, rest.Listing[lcm.VnfInstance]{
		Rules: instanceListRules,
		Page:  a.Store.InstancePage,
		View:  func(i lcm.VnfInstance) (any, error) { return a.vnfInstance(a.Base, i), nil },
		ID:    func(i lcm.VnfInstance) string { return string(i.ID) },
	})
}

func (a *api) readInstance(c echo.Context) error {
	if err := rest.NoQuery(c); err != nil {
		return err
	}
	inst, err := a.PathInstance(c)
	if err != nil {
		return err
	}
	rest.ShowTag(c, instanceTag(inst))
	if rest.Unchanged(c, instanceTag(inst)) {
		return c.NoContent(http.StatusNotModified)
	}
	return rest.WriteResource(c, http.StatusOK, a.vnfInstance(a.Base, inst))
}

// deleteInstance is SOL003 clause 5.4.3.3.5. The secrets of the instance's requests go with it.
func (a *api) deleteInstance(c echo.Context) error {
	inst, err := a.PathInstance(c)
	if err != nil {
		return err
	}
	if err := matches(c, inst); err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := a.Store.DeleteInstance(ctx, inst.ID, rest.OnlyIf(c, inst.Version)...); err != nil {
		return a.orChanged(c, inst.ID, err)
	}
	a.Forget(ctx, instanceSecrets(inst.ID))
	return c.NoContent(http.StatusNoContent)
}

// matches refuses a request that is meant for another version of the instance.
func matches(c echo.Context, inst lcm.VnfInstance) error {
	return rest.CheckMatch(c, instanceTag(inst), "VNF instance")
}

// orChanged makes a 412 of a refusal when the instance has changed under a conditional request.
func (h *Handler) orChanged(c echo.Context, id lcm.VnfInstanceID, err error) error {
	return rest.OrChanged(c, "VNF instance", err, func() (string, error) {
		now, err := h.Store.Instance(c.Request().Context(), id)
		return instanceTag(now), err
	})
}

func instanceSecrets(id lcm.VnfInstanceID) lcm.SecretRef {
	return lcm.SecretRef("vnf/" + string(id) + "/")
}
