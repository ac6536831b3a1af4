package extensions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// driftView is the report of the last check, with the policy under which it was made.
type driftView struct {
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
	lcm.DriftReport
}

// readDrift answers the report of the last check.
func (h *Handler) readDrift(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	d, err := h.Store.Drift(c.Request().Context(), inst.ID)
	switch {
	case err != nil:
		return err
	case inst.InstantiationState != lcm.Instantiated:
		return lcm.Errorf(lcm.KindNotFound, "The VNF instance %s is not instantiated: there is nothing to check.", inst.ID)
	case d.Report == nil:
		return lcm.Errorf(lcm.KindNotFound, "The VNF instance %s was not checked yet. POST to this resource to check it now.",
			inst.ID)
	}
	return rest.WriteJSON(c, http.StatusOK, driftView{inst.ID, *d.Report})
}

// checkDrift begins a check. The answer has the id of the later report.
func (h *Handler) checkDrift(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := h.CheckReady(ctx, inst); err != nil {
		return err
	}
	id, err := h.Checks.CheckNow(ctx, inst.ID)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Location", h.Base+"/windlass/v1/vnf_instances/"+string(inst.ID)+"/drift")
	return rest.WriteJSON(c, http.StatusAccepted, map[string]string{"checkId": id})
}

// driftPolicyRequest is a policy; absent members take their defaults.
type driftPolicyRequest struct {
	Check          bool `json:"check"`
	Interval       *int `json:"interval"`
	AutoHeal       bool `json:"autoHeal"`
	AgreeingChecks *int `json:"agreeingChecks"`
	MaxHeals       *int `json:"maxHeals"`
	MaxHealsPeriod *int `json:"maxHealsPeriod"`
}

func (r driftPolicyRequest) policy() lcm.DriftPolicy {
	p := lcm.DefaultDriftPolicy()
	p.Check, p.AutoHeal = r.Check, r.AutoHeal
	for to, from := range map[*int]*int{
		&p.Interval: r.Interval, &p.AgreeingChecks: r.AgreeingChecks, &p.MaxHeals: r.MaxHeals,
		&p.MaxHealsPeriod: r.MaxHealsPeriod,
	} {
		if from != nil {
			*to = *from
		}
	}
	return p
}

func (h *Handler) readDriftPolicy(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	d, err := h.Store.Drift(c.Request().Context(), inst.ID)
	if err != nil {
		return err
	}
	rest.ShowTag(c, contentTag(d.Policy))
	return rest.WriteJSON(c, http.StatusOK, d.Policy)
}

// replaceDriftPolicy sets the policy. The schedule follows at once. If Temporal does not answer, the reconciler updates
// the schedule later.
func (h *Handler) replaceDriftPolicy(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	d, err := h.Store.Drift(ctx, inst.ID)
	if err != nil {
		return err
	}
	if err := rest.CheckMatch(c, contentTag(d.Policy), "drift policy"); err != nil {
		return err
	}
	req, err := rest.Bind[driftPolicyRequest](c)
	if err != nil {
		return err
	}
	policy := req.policy()
	if err := policy.Validate(); err != nil {
		return err
	}
	if err := h.Store.KeepDriftPolicy(ctx, inst.ID, policy); err != nil {
		return err
	}
	if err := SettleSchedules(ctx, h.Store, h.Checks); err != nil {
		h.Log.WarnContext(ctx, "Checks for drift not scheduled yet; the reconciler will schedule them",
			"vnfInstanceId", inst.ID, "error",
			err)
	}
	rest.ShowTag(c, contentTag(policy))
	return rest.WriteJSON(c, http.StatusOK, policy)
}

// SettleSchedules makes the schedules in Temporal match the policies, and deletes reports whose instance is gone.
// Several API servers may call it at once: each makes the same changes.
func SettleSchedules(ctx context.Context, st *store.Store, checks DriftChecks) error {
	if checks == nil {
		return nil
	}
	if err := st.ForgetDriftReports(ctx); err != nil {
		return err
	}
	list, err := st.UnsettledDriftSchedules(ctx)
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := checks.ScheduleChecks(ctx, d.VnfInstanceID, d.Interval); err != nil {
			return err
		}
		if err := st.SettledDriftSchedule(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// Notifications is the route below /server_notification, with Tacker's path: senders that notify Tacker need to change
// only the host.
func (h *Handler) Notifications() []rest.Route {
	return []rest.Route{rest.Post("/vnf_instances/:vnfInstanceId/servers/:serverId/notify", h.notifyServer)}
}

// serverNotification is the body that Tacker takes: a fault event of the VIM.
type serverNotification struct {
	Notification struct {
		HostID      string         `json:"host_id"`
		AlarmID     string         `json:"alarm_id" param:"required"`
		FaultID     string         `json:"fault_id" param:"required"`
		FaultType   string         `json:"fault_type" param:"required"`
		FaultOption map[string]any `json:"fault_option"`
	} `json:"notification" param:"required"`
}

// notifyServer takes Tacker's fault notification of a server. The notification only hurries the next check. That check
// decides whether something is wrong with the server and whether to heal it.
func (h *Handler) notifyServer(c echo.Context) error {
	inst, err := h.PathInstance(c)
	if err != nil {
		return err
	}
	if _, err := rest.Bind[serverNotification](c); err != nil {
		return err
	}
	server := c.Param("serverId")
	if inst.Instantiated == nil || !slices.ContainsFunc(inst.Instantiated.VnfcResources,
		func(v lcm.VnfcResourceInfo) bool {
			return v.ComputeResource.ResourceID == server
		}) {
		return lcm.Errorf(lcm.KindNotFound, "The VNF instance %s has no server %q.", inst.ID, rest.Clip(server, 64))
	}
	if err := h.notifyCheck(c.Request().Context(), inst.ID, server); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// notifiedPause is how long a server's first notification also covers later ones, until a check begins to look. A
// workflow's history keeps each signal for good, so a thousand notifications must not become a thousand signals.
const notifiedPause = 30 * time.Second

// notifyCheck notifies the check of a server, unless an earlier notification still waits for the check.
func (h *Handler) notifyCheck(ctx context.Context, id lcm.VnfInstanceID, server string) error {
	isNew, err := h.Store.NoteNotified(ctx, id, server, notifiedPause)
	if err != nil || !isNew {
		return err
	}
	err = h.Checks.Notify(ctx, id, server)
	if err != nil { // the sender tries again, and must be heard then
		if failure := h.Store.ForgetNotified(context.WithoutCancel(ctx), id, server); failure != nil {
			h.Log.WarnContext(ctx, "Windlass ignores notifications of a server for a while",
				"vnfInstanceId", id, "server", server, "error",
				failure)
		}
	}
	return err
}

// contentTag makes an entity tag for values that are stored without a version.
func contentTag(v any) string {
	b, _ := json.Marshal(v) // of the types that are passed here it cannot fail
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}
