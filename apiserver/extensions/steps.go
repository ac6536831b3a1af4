package extensions

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
	"github.com/windlass-nfv/windlass/internal/telemetry"
)

// Routes are the routes of steps and their output below /windlass/v1.
func (h *Handler) Routes() []rest.Route {
	const opOcc = "/vnf_lcm_op_occs/:vnfLcmOpOccId"
	return []rest.Route{
		rest.Get("/version", h.version),
		rest.Get("/identity", h.readIdentity),
		rest.Get("/events", h.allEvents),
		rest.Get("/vnf_instances", h.summarizeInstances),
		rest.Get("/vnf_lcm_op_occs", h.summarizeOperations),
		rest.Get("/vnf_instances/:vnfInstanceId/topology", h.readTopology),
		rest.Get("/vnf_instances/:vnfInstanceId/drift", h.readDrift),
		rest.Post("/vnf_instances/:vnfInstanceId/drift", h.checkDrift),
		rest.Get("/vnf_instances/:vnfInstanceId/drift_policy", h.readDriftPolicy),
		rest.Put("/vnf_instances/:vnfInstanceId/drift_policy", h.replaceDriftPolicy),
		rest.Post("/vnf_instances/:vnfInstanceId/kubeconfig", h.makeKubeconfig),
		rest.Delete("/vnf_instances/:vnfInstanceId/host_keys/:vnfcInstanceId", h.forgetHostKey),
		rest.Get(opOcc+"/steps", h.listSteps),
		rest.Get(opOcc+"/steps/:index/output", h.stepOutput),
		rest.Get(opOcc+"/logs", h.logs),
		rest.Get(opOcc+"/events", h.events),
		rest.Get(opOcc+"/requests", h.listRequests),
		rest.Get("/audit", h.listAudit),
	}
}

func (h *Handler) version(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"version": h.Version, "goVersion": runtime.Version()})
}

// stepView is one step of an operation, or one node's part of it.
type stepView struct {
	Index int `json:"index"`
	// ID, Undo and Final are of the step as a whole, as in its plan.
	ID             string               `json:"id,omitempty"`
	Undo           string               `json:"undo,omitempty"`
	Final          bool                 `json:"final,omitempty"`
	Title          string               `json:"title"`
	Phase          lcm.Phase            `json:"phase"`
	Node           string               `json:"node,omitempty"`
	State          lcm.StepState        `json:"state"`
	Attempt        int                  `json:"attempt"`
	StartedAt      *time.Time           `json:"startedAt,omitempty"`
	EndedAt        *time.Time           `json:"endedAt,omitempty"`
	Error          *rest.ProblemDetails `json:"error,omitempty"`
	LastOutputLine string               `json:"lastOutputLine,omitempty"`
	Retry          *retryView           `json:"retry,omitempty"`
	// UsualSeconds is the median of the last times of the whole step. Slow tells that a running step takes much longer.
	UsualSeconds float64 `json:"usualSeconds,omitempty"`
	Slow         bool    `json:"slow,omitempty"`
	// TraceID is the trace that the step's span is in, where traces are made.
	TraceID string `json:"traceId,omitempty"`
	// Decisions are the decisions about pods of the node that the step has drained.
	Decisions []decisionView `json:"decisions,omitempty"`
}

// retryView tells how it stands with the work of a step that is tried again.
type retryView struct {
	// Attempt has failed, or is under way if there is no NextAttemptAt.
	Attempt       int                  `json:"attempt"`
	Attempts      int                  `json:"attempts,omitempty"`
	NextAttemptAt *time.Time           `json:"nextAttemptAt,omitempty"`
	Error         *rest.ProblemDetails `json:"error,omitempty"`
}

func viewOfRetry(r *lcm.StepRetry) *retryView {
	if r == nil {
		return nil
	}
	return &retryView{r.Attempt, r.Attempts, r.Next, problem.OfOperation(r.Error)}
}

// decisionView is the decision about a node that did not become empty by itself.
type decisionView struct {
	Action lcm.DrainAction `json:"action"`
	Detail string          `json:"detail"`
	At     time.Time       `json:"at"`
}

// decisionsIn are the decisions of one node's part of a step.
func decisionsIn(step lcm.Step, all []lcm.DrainDecision) (out []decisionView) {
	for _, d := range all {
		if d.Node == step.Node && d.Step == step.Index && d.Phase == step.Phase {
			out = append(out, decisionView{d.Action, d.Detail, d.At.UTC()})
		}
	}
	return out
}

func viewOfStep(s lcm.Step) stepView {
	return stepView{
		Index: s.Index, ID: s.ID, Undo: s.Undo, Final: s.Final, Title: s.Title, Phase: s.Phase, Node: s.Node,
		State: s.State, Attempt: s.Attempt, StartedAt: moment(s.Started), EndedAt: moment(s.Ended),
		Error: problem.OfOperation(s.Error), LastOutputLine: s.LastLine,
		Retry: viewOfRetry(s.Retry), UsualSeconds: rounded(s.Usual.Seconds()),
		Slow: s.State == lcm.StepRunning && s.Node == "" && lcm.IsSlow(s.Usual, time.Since(s.Started)),
	}
}

// moment returns nil for the zero time, so that events that have not happened are left out.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

func (h *Handler) listSteps(c echo.Context) error {
	o, err := h.PathOpOcc(c)
	if err != nil {
		return err
	}
	steps, err := h.Store.Steps(c.Request().Context(), o.ID)
	if err != nil {
		return err
	}
	drains, err := h.Store.Drains(c.Request().Context(), o.ID)
	if err != nil {
		return err
	}
	traceID, err := h.traceOf(c.Request().Context(), o.ID)
	if err != nil {
		return err
	}
	out := make([]stepView, 0, len(steps))
	for _, step := range steps {
		view := viewOfStep(step)
		view.TraceID = traceID
		view.Decisions = decisionsIn(step, drains)
		out = append(out, view)
	}
	return rest.WriteJSON(c, http.StatusOK, out)
}

// traceOf is the id of the operation's trace, "" if no trace is kept.
func (h *Handler) traceOf(ctx context.Context, id lcm.OpOccID) (string, error) {
	if !h.Tracing.On() {
		return "", nil
	}
	parent, err := h.Store.TraceParent(ctx, id)
	return telemetry.TraceID(telemetry.WithTraceParent(context.Background(), parent)), err
}

// stepOutput is the captured output of a step, of one node with ?node=, of its undoing with ?phase=COMPENSATION. With
// ?numbered=true clients know the lines that they have seen.
func (h *Handler) stepOutput(c echo.Context) error {
	o, err := h.PathOpOcc(c)
	if err != nil {
		return err
	}
	index, err := strconv.Atoi(c.Param("index"))
	if err != nil || index < 0 {
		return lcm.Errorf(lcm.KindNotFound, "The operation has no step %q.", c.Param("index"))
	}
	ctx := c.Request().Context()
	steps, err := h.Store.Steps(ctx, o.ID)
	if err != nil {
		return err
	}
	ref := lcm.StepRef{
		OpOccID: o.ID, Step: index, Node: c.QueryParam("node"), Undo: c.QueryParam("phase") == string(lcm.PhaseCompensation),
	}
	for _, step := range steps {
		if step.Index == index && step.Phase == ref.Phase() && (ref.Node == "" || step.Node == ref.Node) {
			w := startText(c)
			begin := beginning{node: ref.Node == "", number: c.QueryParam("numbered") == "true"}
			if err := h.writeOutput(ctx, w, ref, begin); err != nil {
				return err
			}
			return w.Flush()
		}
	}
	return lcm.Errorf(lcm.KindNotFound, "The operation has no step %d of phase %s%s.", index, ref.Phase(),
		onNode(ref.Node))
}

func onNode(node string) string {
	if node == "" {
		return ""
	}
	return " on a node " + strconv.Quote(node)
}

// logs is everything that was captured of steps that have begun, step by step; ?step= and ?node= narrow it down.
func (h *Handler) logs(c echo.Context) error {
	o, err := h.PathOpOcc(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	steps, err := h.Store.Steps(ctx, o.ID)
	if err != nil {
		return err
	}
	only, node := c.QueryParam("step"), c.QueryParam("node")
	w := startText(c)
	steps = slices.DeleteFunc(steps, func(s lcm.Step) bool { return s.State == lcm.StepPending && s.Attempt == 0 })
	for i, step := range steps {
		if i > 0 && steps[i-1].Index == step.Index && steps[i-1].Phase == step.Phase {
			continue // another node's part of a step that was written already
		}
		if only != "" && only != strconv.Itoa(step.Index) {
			continue
		}
		fmt.Fprintf(w, "==> %d. %s\n", step.Index, step.Title)
		ref := lcm.StepRef{OpOccID: o.ID, Step: step.Index, Node: node, Undo: step.Phase == lcm.PhaseCompensation}
		if err := h.writeOutput(ctx, w, ref, beginning{node: true}); err != nil {
			return err
		}
	}
	return w.Flush()
}

func startText(c echo.Context) *bufio.Writer {
	c.Response().Header().Set("Content-Type", "text/plain; charset=utf-8")
	return bufio.NewWriter(c.Response())
}

// beginning tells how each line begins: with its number and a tab, with the name of its node, or both.
type beginning struct{ node, number bool }

// writeOutput writes captured lines.
func (h *Handler) writeOutput(ctx context.Context, w *bufio.Writer, ref lcm.StepRef, begin beginning) error {
	for line, err := range h.Store.Output(ctx, ref) {
		if err != nil {
			return err
		}
		if begin.number {
			fmt.Fprintf(w, "%d\t", line.Number)
		}
		if begin.node && line.Node != "" {
			_, err = fmt.Fprintf(w, "%s: %s\n", line.Node, line.Line)
		} else {
			_, err = fmt.Fprintln(w, line.Line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
