package vnflcm

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/requests"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

func (a *api) acceptInstantiation(ctx context.Context, inst lcm.VnfInstance, r *asked) error {
	if inst.InstantiationState == lcm.Instantiated {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is instantiated already.", inst.ID)
	}
	return a.validateInstantiate(ctx, inst, r)
}

func (a *api) acceptTermination(ctx context.Context, inst lcm.VnfInstance, r *asked) error {
	request, err := lcm.RequestAs[lcm.TerminateRequest](r.Request)
	if err != nil {
		return err
	}
	if inst.InstantiationState != lcm.Instantiated {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated.", inst.ID)
	}
	if err := a.unusedCluster(ctx, inst, request); err != nil {
		return err
	}
	return a.allowedTermination(ctx, inst, request)
}

// unusedCluster requires that no VNF runs on the cluster of this instance, unless the request terminates those VNFs
// first: their Pods would be lost with the cluster.
func (h *Handler) unusedCluster(ctx context.Context, inst lcm.VnfInstance, request lcm.TerminateRequest) error {
	if inst.Instantiated == nil || inst.Instantiated.ClusterVimID == "" || request.TerminatesVnfs {
		return nil
	}
	users, err := h.Store.VimUsers(ctx, inst.Instantiated.ClusterVimID)
	if err != nil {
		return err
	}
	var names []string
	for _, id := range users {
		if id != inst.ID {
			names = append(names, string(id))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is a cluster that other VNF instances use: %s. Terminate "+
		"and delete them first, or let this request do it (additionalParams.terminate_vnfs).", inst.ID,
		strings.Join(names, ", "))
}

// allowedTermination checks the request against the VNFD. A VNF whose package is gone can still be terminated.
func (h *Handler) allowedTermination(ctx context.Context, inst lcm.VnfInstance, request lcm.TerminateRequest) error {
	if inst.Instantiated == nil {
		return nil
	}
	pkg, err := h.Store.Package(ctx, inst.VnfPkgID)
	if lcm.Is(err, lcm.KindNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	vnfd, err := rest.VnfdOf(pkg)
	if err != nil {
		return err
	}
	flavour, err := vnfd.Flavour(inst.Instantiated.FlavourID)
	if err != nil {
		return nil //nolint:nilerr // what the VNFD does not have it does not restrict
	}
	return lifecycle.Allowed(flavour, request)
}

// begin records an operation and starts its workflow; every request that makes an operation uses it. The answer does
// not wait for Temporal: if the start fails, the reconciler starts the operation.
func (a *api) begin(c echo.Context, inst lcm.VnfInstance, r asked) error {
	var version int64
	if rest.Conditional(c) {
		version = inst.Version
	}
	return a.beginOf(c, inst, version, r)
}

// beginOf is begin for an instance of that version only; 0 is any.
func (a *api) beginOf(c echo.Context, inst lcm.VnfInstance, version int64, r asked) error {
	op := r.Operation()
	ctx := c.Request().Context()
	now := time.Now().UTC()
	opOcc := lcm.VnfLcmOpOcc{
		ID: rest.NewID[lcm.OpOccID](), VnfInstanceID: inst.ID, Operation: op, State: op.FirstState(),
		StateEnteredTime: now, StartTime: now, APIVersion: a.Number, OfVersion: version, RegistersVim: r.registersVim,
	}
	telemetry.About(ctx, telemetry.AttrOpOcc.String(string(opOcc.ID)), telemetry.AttrOperation.String(string(op)))
	prefix := instanceSecrets(inst.ID) + lcm.SecretRef("request/"+opOcc.ID)
	value, err := requests.ToStore(r.Request)
	if err == nil {
		opOcc.Params, opOcc.Request, err = secrets.SealDocuments(ctx, a.Vault, prefix, r.body, value)
	}
	if err == nil {
		err = requests.CheckSealed(opOcc)
	}
	if err == nil {
		err = a.record(ctx, inst, opOcc)
	}
	if err := a.Stored(ctx, string(opOcc.ID), prefix, err, rest.Exists(a.Store.Operation, opOcc.ID)); err != nil {
		return err
	}
	if err := a.Starter.Start(ctx, opOcc.Input()); err != nil {
		a.Log.WarnContext(ctx, "Operation not started yet; the reconciler will start it",
			"opOccId", opOcc.ID, "error", err)
	}
	c.Response().Header().Set("Location", a.Base+a.Prefix+"/vnf_lcm_op_occs/"+string(opOcc.ID))
	return c.NoContent(http.StatusAccepted)
}

// record stores the operation; the VIMs of an instantiation are kept from being deleted from then on.
func (a *api) record(ctx context.Context, inst lcm.VnfInstance, o lcm.VnfLcmOpOcc) error {
	if !o.Operation.Makes() {
		return a.Store.BeginOperation(ctx, o)
	}
	request, err := requests.Of(o) // its secrets are sealed
	if err != nil {
		return err
	}
	made, err := lcm.RequestAs[lcm.InstantiateRequest](request)
	if err != nil {
		return err
	}
	vims, err := a.resolveVims(ctx, inst, made)
	if err != nil {
		return err
	}
	return a.Store.BeginOperation(ctx, o, vims...)
}
