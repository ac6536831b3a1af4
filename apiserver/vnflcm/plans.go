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
	"github.com/windlass-nfv/windlass/internal/requests"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// planRequest is an operation with the body of its request.
type planRequest struct {
	Operation plannedOperation `json:"operation" param:"required"`
	Request   json.RawMessage  `json:"request" param:"required"`
	AskVim    bool             `json:"askVim"`
	// Leftovers plans the clean_up of an instance: a TERMINATE, whose request is ignored.
	Leftovers bool `json:"leftovers"`
}

// plannedOperation is an operation that begins at a task resource.
type plannedOperation string

// Listed implements params.Listed.
func (plannedOperation) Listed() []string { return lcm.TaskOperations() }

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
	ctx, op := c.Request().Context(), lcm.Operation(req.Operation)
	a := &api{h, dialectFor(op, req.Request, version)}
	plan, r := a.planCleanUp, forcefully
	switch {
	case req.Leftovers && op != forcefully.Operation():
		return lcm.Errorf(lcm.KindInvalid, "leftovers belongs to a TERMINATE, not to a %s.", op)
	case !req.Leftovers:
		plan = a.planOf
		if r, err = a.read(ctx, inst, op, req.Request); err != nil {
			return within("$.request", err)
		}
	}
	p, facts, err := plan(ctx, inst, r)
	if err != nil {
		return within("$.request", err)
	}
	view := viewOfPlan(p, lifecycle.Steps(facts, p))
	view.Quota = lifecycle.Needs(p, facts)
	if req.AskVim {
		view.Vim = a.survey(ctx, inst, r, view.Quota)
	}
	return rest.WriteJSON(c, http.StatusOK, view)
}

// surveyPatience is how long a plan waits for the VIM.
const surveyPatience = 30 * time.Second

// survey asks the VIM about a plan; it returns nil if the plan makes nothing there. A VIM that does not answer is no
// reason to refuse the plan.
func (a *api) survey(ctx context.Context, inst lcm.VnfInstance, r asked, q *lifecycle.Quota) *vimView {
	op := r.Operation()
	if a.Surveyor == nil || q == nil && !op.Makes() {
		return nil
	}
	view := &vimView{Problems: []string{}}
	if !mayAsk(ctx, op) {
		view.Unasked = "Windlass asks the VIM only for clients that may begin such an operation."
		return view
	}
	ctx, done := context.WithTimeout(ctx, surveyPatience)
	defer done()
	o, err := a.operation(ctx, inst, r)
	if err == nil {
		var found []string
		found, view.Unasked, err = a.Surveyor.Survey(ctx, o, q)
		view.Problems = append(view.Problems, found...)
	}
	if err != nil {
		view.Unasked = "Windlass could not ask the VIM: " + lcm.Sentence(err)
	}
	return view
}

// mayAsk tells whether the client might send the operation itself. The check matters because the request may name any
// address as a VIM's.
func mayAsk(ctx context.Context, op lcm.Operation) bool {
	who, known := auth.From(ctx)
	return !known || who.May(auth.Need{
		APIs: []string{"vnflcm:v1", "vnflcm:v2"}, Access: auth.Write, Task: strings.ToLower(string(op)),
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

// planCleanUp is the plan of clean_up, which takes no request.
func (a *api) planCleanUp(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (p lcm.Plan, f lifecycle.Facts, err error) {
	if err := a.checkLeftovers(ctx, inst); err != nil {
		return p, f, err
	}
	return a.planned(ctx, inst, r)
}

// dialectFor is the version of /vnflcm of a planned request: the given one, unless the operation is of the other
// version only, or the request has fewer mistakes in the form of the other version.
func dialectFor(op lcm.Operation, request []byte, version int) *dialect {
	given, other := &dialectV1, &dialectV2
	if version == dialectV2.Number {
		given, other = other, given
	}
	if !requests.Has(op, given.Number) ||
		requests.Has(op, other.Number) && mistakes(op, other, request) < mistakes(op, given, request) {
		return other
	}
	return given
}

// mistakes is the number of mistakes in a request in the form of a version.
func mistakes(op lcm.Operation, in *dialect, request []byte) int {
	_, err := requests.Read(op, in.Number, request)
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
	case !lifecycle.Decides(o.Operation):
		return lcm.Errorf(lcm.KindNotFound, "This operation, %s, has no plan: Windlass has nothing to decide about it.",
			o.Operation)
	default:
		return lcm.Errorf(lcm.KindNotFound, "This operation, %s, has no plan yet: its first step makes the plan.",
			o.Operation)
	}
}
