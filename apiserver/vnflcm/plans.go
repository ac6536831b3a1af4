package vnflcm

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// planRequest is an operation with the body of its request.
type planRequest struct {
	Operation string          `json:"operation" param:"required; enum=INSTANTIATE|SCALE|SCALE_TO_LEVEL|HEAL|OPERATE|CHANGE_EXT_CONN|CHANGE_VNFPKG|TERMINATE"`
	Request   json.RawMessage `json:"request" param:"required"`
	AskVim    bool            `json:"askVim"`
	// Leftovers plans the clean_up of an instance: a TERMINATE, whose request is ignored.
	Leftovers bool `json:"leftovers"`
}

// planView lists the changes of an operation.
type planView struct {
	lcm.Plan
	// Links are the external links of the plan, in the form of the standard.
	Links []lcm.ExtVirtualLinkInfo `json:"links,omitempty"`
	// InstancesToAdd is the room that the cloud must have.
	InstancesToAdd    int `json:"instancesToAdd"`
	InstancesToRemove int `json:"instancesToRemove"`
	// Quota is the room on the VIM in detail, for an operation that has not begun; nil if nothing is made.
	Quota *lifecycle.Quota `json:"quota,omitempty"`
	// Steps are the steps of an operation that has not begun; a begun operation has its own.
	Steps []lifecycle.Step `json:"steps,omitempty"`
	// Vim is the VIM's opinion of the operation; nil if the client did not ask for it, or if nothing is made on a VIM.
	Vim *vimView `json:"vim,omitempty"`
	// ForwardOnlyFrom is a step, counted from 0; once this step has begun there is no rollback.
	ForwardOnlyFrom *int `json:"forwardOnlyFrom,omitempty"`
}

// vimView is a VIM's opinion of an operation that has not begun.
type vimView struct {
	// Problems are the parts that the VIM would refuse, or has no room for.
	Problems []string `json:"problems"`
	// Unasked names the checks that the VIM was not asked about, and why.
	Unasked string `json:"unasked,omitempty"`
}

func viewOfPlan(p lcm.Plan, steps []lifecycle.Step) planView {
	v := planView{Plan: p, InstancesToAdd: p.Adds(), InstancesToRemove: p.Removes(), Steps: steps}
	v.Links = lcm.LinkInfo(p.Links, p.VimConnectionID, dialectV2.Number)
	if i := slices.IndexFunc(steps, func(s lifecycle.Step) bool { return s.Final }); i >= 0 {
		v.ForwardOnlyFrom = new(i)
	}
	return v
}

// planOperation answers with the changes that an operation would make, or with the reason of its refusal. It changes
// nothing.
func (h *Handler) planOperation(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	req, err := rest.Bind[planRequest](c)
	if err != nil {
		return err
	}
	version, err := plannedVersion(c)
	if err != nil {
		return err
	}
	// A plan seals nothing, but a reference to a sealed secret must be refused all the same: the secret may be somebody
	// else's.
	if _, err := secrets.Clear(req.Request); err != nil {
		return within("$.request", err)
	}
	ctx := c.Request().Context()
	plan := h.planOf
	if req.Leftovers {
		plan = h.planCleanUp
	}
	p, facts, err := plan(ctx, inst, lcm.Operation(req.Operation), req.Request, version)
	if err != nil {
		return within("$.request", err)
	}
	view := viewOfPlan(p, lifecycle.Steps(facts, p))
	view.Quota = lifecycle.Needs(p, facts)
	if req.AskVim {
		view.Vim = h.survey(ctx, inst, req, version, view.Quota)
	}
	return rest.WriteJSON(c, http.StatusOK, view)
}

// surveyPatience is how long a plan waits for the VIM.
const surveyPatience = 30 * time.Second

// survey asks the VIM about a plan; it returns nil if the plan makes nothing there. A VIM that does not answer is no
// reason to refuse the plan.
func (h *Handler) survey(
	ctx context.Context, inst lcm.VnfInstance, req planRequest, version int, q *lifecycle.Quota,
) *vimView {
	whole := req.Operation == string(lcm.OpInstantiate)
	if whole { // the request tells
		version = dialectOf(req.Request).Number
	}
	if h.Surveyor == nil || q == nil && !whole {
		return nil
	}
	view := &vimView{Problems: []string{}}
	if !mayAsk(ctx, req.Operation) {
		view.Unasked = "Windlass asks the VIM only for clients that may begin such an operation."
		return view
	}
	ctx, done := context.WithTimeout(ctx, surveyPatience)
	defer done()
	op, err := h.operation(ctx, inst, lcm.Operation(req.Operation), req.Request, version)
	if err == nil {
		var found []string
		found, view.Unasked, err = h.Surveyor.Survey(ctx, op, q)
		view.Problems = append(view.Problems, found...)
	}
	if err != nil {
		view.Unasked = "Windlass could not ask the VIM: " + lcm.Sentence(err)
	}
	return view
}

// mayAsk tells whether the client might send the operation itself. The check matters because the request may name any
// address as a VIM's.
func mayAsk(ctx context.Context, op string) bool {
	who, known := auth.From(ctx)
	return !known || who.May(auth.Need{
		APIs: []string{"vnflcm:v1", "vnflcm:v2"}, Access: auth.Write, Task: strings.ToLower(op),
	})
}

// plannedVersion is the version of /vnflcm of the planned operation: an absent member means another thing in each
// version. The path does not tell, so the header Version may; without it, it is the first.
func plannedVersion(c echo.Context) (int, error) {
	switch major, _, _ := strings.Cut(c.Request().Header.Get("Version"), "."); major {
	case "", "1":
		return dialectV1.Number, nil
	case "2":
		return dialectV2.Number, nil
	}
	return 0, rest.HTTPErrorf(http.StatusNotAcceptable,
		"The Version header names the version of /vnflcm for the plan: %s or %s.", rest.LcmV1.Version, rest.LcmV2.Version)
}

func (h *Handler) planOf(
	ctx context.Context, inst lcm.VnfInstance, op lcm.Operation, request []byte, version int,
) (lcm.Plan, lifecycle.Facts, error) {
	switch op {
	case lcm.OpInstantiate:
		return h.planInstantiation(ctx, inst, request)
	case lcm.OpTerminate:
		return h.planTermination(ctx, inst, request)
	case lcm.OpChangeExtConn:
		a := api{h, &dialectV1}
		if mistakes(dialectV2.checkExtConn(request)) < mistakes(dialectV1.checkExtConn(request)) {
			a.dialect = &dialectV2
		}
		return a.planReconnection(ctx, inst, request)
	case lcm.OpChangeVnfPkg:
		return (&api{h, &dialectV2}).planPackage(ctx, inst, request)
	default:
		return h.planChange(ctx, inst, op, request, version)
	}
}

func (h *Handler) planInstantiation(
	ctx context.Context, inst lcm.VnfInstance, request []byte,
) (p lcm.Plan, f lifecycle.Facts, err error) {
	a := api{h, dialectOf(request)}
	if err := a.acceptInstantiation(ctx, inst, request); err != nil {
		return p, f, err
	}
	if err := h.Store.CheckIdle(ctx, inst.ID); err != nil {
		return p, f, err
	}
	return h.planned(ctx, inst, lcm.OpInstantiate, request, a.Number)
}

// planned shows an accepted operation.
func (h *Handler) planned(
	ctx context.Context, inst lcm.VnfInstance, op lcm.Operation, request []byte, apiVersion int,
) (p lcm.Plan, f lifecycle.Facts, err error) {
	o, err := h.operation(ctx, inst, op, request, apiVersion)
	if err == nil {
		f, p, err = o.Planned()
	}
	return p, f, err
}

// planCleanUp is the plan of clean_up, which takes no request.
func (h *Handler) planCleanUp(
	ctx context.Context, inst lcm.VnfInstance, op lcm.Operation, _ []byte, version int,
) (p lcm.Plan, f lifecycle.Facts, err error) {
	if op != lcm.OpTerminate {
		return p, f, lcm.Errorf(lcm.KindInvalid, "leftovers belongs to a TERMINATE, not to a %s.", op)
	}
	if err := h.checkLeftovers(ctx, inst); err != nil {
		return p, f, err
	}
	return h.planned(ctx, inst, lcm.OpTerminate, []byte(forcefully), version)
}

func (h *Handler) planTermination(
	ctx context.Context, inst lcm.VnfInstance, request []byte,
) (p lcm.Plan, f lifecycle.Facts, err error) {
	a := api{h, &dialectV1}
	if err := a.acceptTermination(ctx, inst, request); err != nil {
		return p, f, err
	}
	if err := h.CheckReady(ctx, inst); err != nil {
		return p, f, err
	}
	return h.planned(ctx, inst, lcm.OpTerminate, request, dialectV1.Number)
}

// dialectOf guesses the version of /vnflcm from the form of an instantiate request: the path here does not tell.
func dialectOf(request []byte) *dialect {
	if mistakes(dialectV2.checkInstantiate(request)) < mistakes(dialectV1.checkInstantiate(request)) {
		return &dialectV2
	}
	return &dialectV1
}

func mistakes(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := rest.AsError(err); ok && len(e.Problems) > 0 {
		return len(e.Problems)
	}
	return 1
}

// within moves an error's problems to where the document stands that they are about.
func within(path string, err error) error {
	e, ok := rest.AsError(err)
	if !ok || len(e.Problems) == 0 {
		return err
	}
	moved := *e
	moved.Problems = nil
	for _, p := range e.Problems {
		moved.Problems = append(moved.Problems, lcm.Problem{Path: path + strings.TrimPrefix(p.Path, "$"), Detail: p.Detail})
	}
	return &moved
}

// keptPlan is the plan that an operation carries out.
func (h *Handler) keptPlan(c echo.Context) error {
	o, err := h.PathOpOcc(c)
	switch {
	case err != nil:
		return err
	case o.Plan != nil:
		return rest.WriteJSON(c, http.StatusOK, viewOfPlan(*o.Plan, nil))
	case o.Operation == lcm.OpInstantiate || o.Operation == lcm.OpTerminate || o.Operation == lcm.OpModifyInfo:
		return lcm.Errorf(lcm.KindNotFound, "This operation, %s, has no plan: Windlass has nothing to decide about it.",
			o.Operation)
	default:
		return lcm.Errorf(lcm.KindNotFound, "This operation, %s, has no plan yet: its first step makes the plan.",
			o.Operation)
	}
}
