package extensions

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/problem"
	"github.com/windlass-nfv/windlass/internal/store"
)

// Lists for people: they have numbered pages, a meaningful order, and additional facts about each item. The standard's
// lists are ordered by ids, and hold only the resource.

const (
	defaultRows = 50
	mostRows    = 500
	// mostOffset is further than anybody turns pages: there a search helps.
	mostOffset = 1_000_000
	// headerTotal tells how many items there are on all pages.
	headerTotal = "X-Total-Count"
)

type instanceSummaryView struct {
	ID                 lcm.VnfInstanceID      `json:"id"`
	VnfInstanceName    string                 `json:"vnfInstanceName,omitempty"`
	VnfdID             lcm.VnfdID             `json:"vnfdId"`
	VnfProvider        string                 `json:"vnfProvider"`
	VnfProductName     string                 `json:"vnfProductName"`
	VnfSoftwareVersion string                 `json:"vnfSoftwareVersion"`
	VnfdVersion        string                 `json:"vnfdVersion"`
	InstantiationState lcm.InstantiationState `json:"instantiationState"`
	VnfState           lcm.VnfState           `json:"vnfState,omitempty"`
	CreatedAt          time.Time              `json:"createdAt"`
	ProjectID          lcm.ProjectID          `json:"projectId"`
	LastOperation      *operationSummaryView  `json:"lastOperation,omitempty"`
	Drift              *driftSummaryView      `json:"drift,omitempty"`
}

type driftSummaryView struct {
	CheckedAt time.Time `json:"checkedAt"`
	Findings  int       `json:"findings"`
}

type operationSummaryView struct {
	ID               lcm.OpOccID        `json:"id"`
	Operation        lcm.Operation      `json:"operation"`
	OperationState   lcm.OperationState `json:"operationState"`
	StartTime        *time.Time         `json:"startTime"`
	StateEnteredTime *time.Time         `json:"stateEnteredTime"`
	Step             string             `json:"step,omitempty"`
	Retry            *retryView         `json:"retry,omitempty"`
	Slow             *slowView          `json:"slow,omitempty"`

	// The rest is in the list of operations only.
	VnfInstanceID         lcm.VnfInstanceID    `json:"vnfInstanceId,omitempty"`
	VnfInstanceName       string               `json:"vnfInstanceName,omitempty"`
	IsAutomaticInvocation bool                 `json:"isAutomaticInvocation,omitempty"`
	IsCancelPending       bool                 `json:"isCancelPending,omitempty"`
	Error                 *rest.ProblemDetails `json:"error,omitempty"`
	ProjectID             lcm.ProjectID        `json:"projectId,omitempty"`
}

func viewOfOperation(o lcm.OperationSummary) operationSummaryView {
	return operationSummaryView{
		ID: o.ID, Operation: o.Operation, OperationState: o.State, StartTime: o.StartTime,
		StateEnteredTime: o.StateEnteredTime, Step: o.Step, Retry: viewOfRetry(o.Retry), Slow: viewOfSlow(o.Slow),
		VnfInstanceID: o.VnfInstanceID, VnfInstanceName: o.VnfInstanceName, IsAutomaticInvocation: o.IsAutomaticInvocation, IsCancelPending: o.IsCancelPending,
		Error: problem.OfStep(o.Error, o.State, o.Step), ProjectID: o.ProjectID,
	}
}

// slowView tells of a step that takes much longer than usual.
type slowView struct {
	Since time.Time `json:"since"`
	// UsualSeconds is 0 if the next step should have begun at once; without it nobody knows.
	UsualSeconds *float64 `json:"usualSeconds,omitempty"`
}

func viewOfSlow(s *lcm.SlowStep) *slowView {
	if s == nil {
		return nil
	}
	v := &slowView{Since: s.Since.UTC()}
	if s.Usual != nil {
		v.UsualSeconds = new(rounded(*s.Usual))
	}
	return v
}

// rounded keeps milliseconds.
func rounded(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

func viewOfInstance(i lcm.InstanceSummary) instanceSummaryView {
	v := instanceSummaryView{
		ID: i.ID, VnfInstanceName: i.Name, VnfdID: i.VnfdID, VnfProvider: i.Provider, VnfProductName: i.ProductName,
		VnfSoftwareVersion: i.SoftwareVersion, VnfdVersion: i.VnfdVersion, InstantiationState: i.InstantiationState,
		VnfState: i.VnfState, CreatedAt: i.Created.UTC(), ProjectID: i.ProjectID,
	}
	if i.Last.ID != "" {
		v.LastOperation = new(viewOfOperation(i.Last))
	}
	if i.DriftCheckedAt != nil {
		v.Drift = &driftSummaryView{i.DriftCheckedAt.UTC(), i.DriftFindings}
	}
	return v
}

// summarizeInstances answers GET /windlass/v1/vnf_instances, ordered by name if nothing else is asked for.
func (h *Handler) summarizeInstances(c echo.Context) error {
	q := summaryQuery{values: c.QueryParams()}
	f := store.InstanceFilter{
		Search: q.text("search"), Attention: q.flag("attention"),
		State: oneOf(&q, "instantiationState", lcm.Instantiated, lcm.NotInstantiated),
		Vim:   lcm.VimID(q.text("vimId")), Product: q.text("vnfProductName"), Metadata: q.pairs("metadata"),
	}
	f.Sort, f.Descending = sortOf(&q, store.InstanceSorts)
	rows := q.rows()
	if err := q.check(); err != nil {
		return err
	}
	found, total, err := h.Store.InstanceSummaries(c.Request().Context(), f, rows)
	if err != nil {
		return err
	}
	return writeSummaries(c, h.Base, q.values, found, viewOfInstance, rows, total)
}

// summarizeOperations answers GET /windlass/v1/vnf_lcm_op_occs, the newest first if nothing else is asked for.
func (h *Handler) summarizeOperations(c echo.Context) error {
	q := summaryQuery{values: c.QueryParams()}
	f := store.OperationFilter{
		Search: q.text("search"), Open: q.flag("open"), Instance: lcm.VnfInstanceID(q.text("vnfInstanceId")),
		State: oneOf(&q, "operationState", lcm.Starting, lcm.Processing, lcm.Completed, lcm.FailedTemp, lcm.Failed,
			lcm.RollingBack, lcm.RolledBack),
	}
	f.Sort, f.Descending = sortOf(&q, store.OperationSorts)
	rows := q.rows()
	if err := q.check(); err != nil {
		return err
	}
	found, total, err := h.Store.OperationSummaries(c.Request().Context(), f, rows)
	if err != nil {
		return err
	}
	return writeSummaries(c, h.Base, q.values, found, viewOfOperation, rows, total)
}

// writeSummaries answers with a page; Link leads to the next one.
func writeSummaries[T, V any](
	c echo.Context, base string, values url.Values, found []T, view func(T) V, rows store.Rows, total int,
) error {
	views := make([]V, 0, len(found))
	for _, row := range found {
		views = append(views, view(row))
	}
	header := c.Response().Header()
	header.Set(headerTotal, strconv.Itoa(total))
	if next := rows.Offset + rows.Limit; next < total {
		values.Set("offset", strconv.Itoa(next))
		header.Set("Link", "<"+base+c.Request().URL.Path+"?"+values.Encode()+`>; rel="next"`)
	}
	return rest.WriteJSON(c, http.StatusOK, views)
}
