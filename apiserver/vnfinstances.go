package apiserver

import (
	"net/http"
	"reflect"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// lcmAPI is /vnflcm in one version.
type lcmAPI struct {
	*Server
	*dialect
}

func (a *lcmAPI) routes() []route {
	const instance, opOcc = "/vnf_instances/:vnfInstanceId", "/vnf_lcm_op_occs/:vnfLcmOpOccId"
	return []route{
		{http.MethodPost, "/vnf_instances", a.createInstance},
		{http.MethodGet, "/vnf_instances", a.listInstances},
		{http.MethodGet, instance, a.readInstance},
		{http.MethodPatch, instance, a.modifyInstance},
		{http.MethodDelete, instance, a.deleteInstance},
		{http.MethodPost, instance + "/instantiate", a.instantiate},
		{http.MethodPost, instance + "/scale", a.scale},
		{http.MethodPost, instance + "/scale_to_level", a.scaleToLevel},
		{http.MethodPost, instance + "/heal", a.heal},
		{http.MethodPost, instance + "/operate", a.operate},
		{http.MethodPost, instance + "/change_ext_conn", a.changeExtConn},
		{http.MethodPost, instance + "/terminate", a.terminate},
		{http.MethodGet, "/vnf_lcm_op_occs", a.listOpOccs},
		{http.MethodGet, opOcc, a.readOpOcc},
		{http.MethodPost, opOcc + "/retry", a.retry},
		{http.MethodPost, opOcc + "/rollback", a.rollback},
		{http.MethodPost, opOcc + "/fail", a.fail},
		{http.MethodPost, opOcc + "/cancel", a.cancel},
	}
}

// Attributes of lists (SOL003 clause 5.4.2.3.2).
var instanceListRules = listRules{
	view:     reflect.TypeFor[vnfInstanceView](),
	excluded: []string{"vimConnectionInfo", "instantiatedVnfInfo", "metadata", "vnfConfigurableProperties", "extensions"},
	mandatory: []string{
		"id", "vnfdId", "vnfProvider", "vnfProductName", "vnfSoftwareVersion", "vnfdVersion", "vnfPkgId",
		"instantiationState", "_links",
	},
}

// createInstance is SOL003 clause 5.4.2.3.1.
func (a *lcmAPI) createInstance(c echo.Context) error {
	req, err := bind[createVnfRequest](c)
	if err != nil {
		return err
	}
	inOwnProject(c)
	ctx := c.Request().Context()
	pkg, err := a.usablePackage(ctx, lcm.VnfdID(req.VnfdID))
	if err != nil {
		return err
	}
	vnfd, err := vnfdOf(pkg)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	inst := lcm.VnfInstance{
		ID: newID[lcm.VnfInstanceID](), Name: req.VnfInstanceName, Description: req.VnfInstanceDescription,
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
	if problems := vnfd.Declared.Problems(vnfpkg.Attributes{Metadata: metadata}, false); len(problems) > 0 {
		return &lcm.Error{
			Kind: lcm.KindInvalid, Unprocessable: true, Detail: "The metadata is not as the VNFD declares it",
			Problems: problems,
		}
	}
	if inst.Metadata, err = a.sealMap(ctx, instanceSecrets(inst.ID)+"metadata", metadata); err != nil {
		return err
	}
	err = a.Store.CreateInstance(ctx, inst)
	if err := a.stored(ctx, string(inst.ID), instanceSecrets(inst.ID), err,
		exists(a.Store.Instance, inst.ID)); err != nil {
		return err
	}
	view := a.vnfInstance(a.base, inst)
	c.Response().Header().Set("Location", view.Links["self"].Href)
	c.Response().Header().Set("ETag", etag(inst))
	return writeResource(c, http.StatusCreated, view)
}

func (a *lcmAPI) listInstances(c echo.Context) error {
	return serveList(c, a.Server, listing[lcm.VnfInstance]{
		rules: instanceListRules,
		page:  a.Store.InstancePage,
		view:  func(i lcm.VnfInstance) (any, error) { return a.vnfInstance(a.base, i), nil },
		id:    func(i lcm.VnfInstance) string { return string(i.ID) },
	})
}

// pathInstance reads the instance that the path names.
func (s *Server) pathInstance(c echo.Context) (lcm.VnfInstance, error) {
	id, err := idParam[lcm.VnfInstanceID](c, "vnfInstanceId", "VNF instance")
	if err != nil {
		return lcm.VnfInstance{}, err
	}
	inst, err := s.Store.Instance(c.Request().Context(), id)
	if err == nil {
		inProjectOf(c, inst.ProjectID)
	}
	return inst, err
}

func (a *lcmAPI) readInstance(c echo.Context) error {
	if err := noQuery(c); err != nil {
		return err
	}
	inst, err := a.pathInstance(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", etag(inst))
	return writeResource(c, http.StatusOK, a.vnfInstance(a.base, inst))
}

// deleteInstance is SOL003 clause 5.4.3.3.5. The secrets of the instance's requests go with it.
func (a *lcmAPI) deleteInstance(c echo.Context) error {
	inst, err := a.pathInstance(c)
	if err != nil {
		return err
	}
	if err := matches(c, inst); err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := a.Store.DeleteInstance(ctx, inst.ID, onlyIf(c, inst.Version)...); err != nil {
		return a.orChanged(c, inst.ID, err)
	}
	a.forget(ctx, instanceSecrets(inst.ID))
	return c.NoContent(http.StatusNoContent)
}

// matches refuses a request that is meant for another version of the instance.
func matches(c echo.Context, inst lcm.VnfInstance) error {
	return checkMatch(c, etag(inst), "VNF instance")
}

// orChanged makes a 412 of a refusal when the instance has changed under a conditional request.
func (s *Server) orChanged(c echo.Context, id lcm.VnfInstanceID, err error) error {
	return orChanged(c, "VNF instance", err, func() (string, error) {
		now, err := s.Store.Instance(c.Request().Context(), id)
		return etag(now), err
	})
}

func instanceSecrets(id lcm.VnfInstanceID) lcm.SecretRef {
	return lcm.SecretRef("vnf/" + string(id) + "/")
}
