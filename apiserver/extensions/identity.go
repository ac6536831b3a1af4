package extensions

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// identityView is the client's identity at this server.
type identityView struct {
	Client    string        `json:"client"`
	ProjectID lcm.ProjectID `json:"projectId"`
	Scopes    []string      `json:"scopes"`
	// Until is when its credentials end; absent: never.
	Until *time.Time `json:"until,omitempty"`
}

// readIdentity answers with the client's identity: every known client may ask.
func (h *Handler) readIdentity(c echo.Context) error {
	who, _ := auth.From(c.Request().Context())
	return rest.WriteJSON(c, http.StatusOK, identityView{
		who.Client, who.Project, append([]string{}, who.Scopes...),
		moment(who.Until),
	})
}
