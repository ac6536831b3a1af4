package subscriptions

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// DeadLetters are the routes below /windlass/v1.
func (h *Handler) DeadLetters() []rest.Route {
	return []rest.Route{
		rest.Get("/dead_letters", h.listDeadLetters),
		rest.Post("/dead_letters/:deadLetterId/redeliver", h.redeliver),
	}
}

// deadLetterView is a notification that was given up: its subscriber was away for too long.
type deadLetterView struct {
	ID               int64                `json:"id"`
	SubscriptionID   lcm.SubscriptionID   `json:"subscriptionId"`
	NotificationID   string               `json:"notificationId"`
	NotificationType lcm.NotificationType `json:"notificationType"`
	TimeStamp        time.Time            `json:"timeStamp"`
	VnfInstanceID    lcm.VnfInstanceID    `json:"vnfInstanceId,omitempty"`
	VnfPkgID         lcm.VnfPkgID         `json:"vnfPkgId,omitempty"`
	VnfLcmOpOccID    lcm.OpOccID          `json:"vnfLcmOpOccId,omitempty"`
	OperationState   lcm.OperationState   `json:"operationState,omitempty"`
	Attempts         int                  `json:"attempts"`
	LastError        string               `json:"lastError"`
}

const (
	defaultDeadLetters = 100
	mostDeadLetters    = 1000
)

// listDeadLetters answers GET /windlass/v1/dead_letters?after=ID&limit=N.
func (h *Handler) listDeadLetters(c echo.Context) error {
	after, limit := int64(0), defaultDeadLetters
	var err1, err2 error
	if v := c.QueryParam("after"); v != "" {
		after, err1 = strconv.ParseInt(v, 10, 64)
	}
	if v := c.QueryParam("limit"); v != "" {
		limit, err2 = strconv.Atoi(v)
	}
	if err1 != nil || err2 != nil || limit < 1 {
		return lcm.Errorf(lcm.KindInvalid, "after must be the number of a dead letter, limit a number from 1 to %d.",
			mostDeadLetters)
	}
	letters, err := h.Store.DeadLetters(c.Request().Context(), after, min(limit, mostDeadLetters))
	if err != nil {
		return err
	}
	views := make([]deadLetterView, 0, len(letters))
	for _, d := range letters {
		views = append(views, deadLetterView{
			ID: d.ID, SubscriptionID: d.SubscriptionID, NotificationID: d.Event.ID, NotificationType: d.Event.Type,
			TimeStamp: d.Event.At, VnfInstanceID: d.Event.VnfInstanceID, VnfPkgID: d.Event.VnfPkgID,
			VnfLcmOpOccID: d.Event.OpOccID, OperationState: d.Event.State, Attempts: d.Attempts, LastError: d.LastError,
		})
	}
	return rest.WriteJSON(c, http.StatusOK, views)
}

// redeliver answers POST /windlass/v1/dead_letters/{id}/redeliver.
func (h *Handler) redeliver(c echo.Context) error {
	id, err := strconv.ParseInt(c.Param("deadLetterId"), 10, 64)
	if err != nil {
		return lcm.Errorf(lcm.KindNotFound, "There is no dead letter %q.", c.Param("deadLetterId"))
	}
	if err := h.Store.Redeliver(c.Request().Context(), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusAccepted)
}
