package extensions

import (
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// askedView is a request about an operation: the one that began it, or a decision.
type askedView struct {
	TimeStamp time.Time `json:"timeStamp"`
	Client    string    `json:"client"`
	// Task is the last word of the request's path, e.g. "instantiate" or "retry".
	Task   string `json:"task"`
	Status int    `json:"status"`
}

// listRequests answers GET .../requests: who has asked for an operation and for what happened to it, the oldest first.
// The audit records have more, and are for those who may read them.
func (h *Handler) listRequests(c echo.Context) error {
	o, err := h.PathOpOcc(c)
	if err != nil {
		return err
	}
	records, err := h.Store.AuditOfOperation(c.Request().Context(), o.ID)
	if err != nil {
		return err
	}
	views := make([]askedView, 0, len(records))
	for _, r := range records {
		views = append(views, askedView{r.At.UTC(), r.Client, taskIn(r), r.Status})
	}
	return rest.WriteJSON(c, http.StatusOK, views)
}

// taskIn is what a request has asked for. A PATCH of an instance has no task of its own.
func taskIn(r lcm.AuditRecord) string {
	if r.Method == http.MethodPatch {
		return "modify"
	}
	return path.Base(strings.TrimSuffix(r.Path, "/"))
}
