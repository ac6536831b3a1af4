package rest

import (
	"github.com/labstack/echo/v4"
)

// HeaderRequestID is the header that a request and its answer have in common with the log.
const HeaderRequestID = "X-Request-Id"

// RequestID is the id under which the log has a request.
func RequestID(c echo.Context) string { return c.Response().Header().Get(HeaderRequestID) }
